package wire

import (
	"encoding/json"
	"strconv"
)

// The batch of runs is not part of XXL-JOB. An executor of this project announces with
// [HeaderBatch] in each reply that it accepts batches; an executor whose replies lack the header
// gets single runs.
const (
	// HeaderBatch is the header of a reply with the number of runs that a batch may have.
	HeaderBatch = "Xxlwheel-Batch"
	// MaxBatch is the largest number of runs in a batch that an executor of this project accepts
	// and a scheduler sends.
	MaxBatch = 256
)

// BatchSize returns how many runs a batch may have by the value of [HeaderBatch]: at most
// [MaxBatch], and 0 if the executor accepts no batches.
func BatchSize(header string) int {
	n, err := strconv.Atoi(header)
	if err != nil || n < 1 {
		return 0
	}
	return min(n, MaxBatch)
}

// RunReplies is the reply to [PathRuns]. A code other than 200 refuses the batch as a whole: no run
// of it was accepted. With 200, each run has a reply of its own in Runs, in any order; what became
// of a run without one is unknown.
type RunReplies struct {
	Code int        `json:"code"`
	Msg  string     `json:"msg,omitempty"`
	Runs []RunReply `json:"runs,omitempty"`
}

// A RunReply is the reply to one run of a batch, as [PathRun] would have replied.
type RunReply struct {
	LogID Int    `json:"logId"`
	Code  int    `json:"code"`
	Msg   string `json:"msg,omitempty"`
}

// DecodeRunReplies decodes the reply to [PathRuns]. A reply without a code is a refusal: it comes
// from a server that does not know the path.
func DecodeRunReplies(data []byte) (RunReplies, error) {
	var raw struct {
		Code *Int            `json:"code"`
		Msg  json.RawMessage `json:"msg"`
		Runs []struct {
			LogID Int    `json:"logId"`
			Code  Int    `json:"code"`
			Msg   string `json:"msg"`
		} `json:"runs"`
	}
	if err := Decode(data, &raw); err != nil {
		return RunReplies{}, err
	}
	r := RunReplies{Code: CodeFail, Msg: plainText(raw.Msg)}
	if raw.Code != nil {
		r.Code = int(*raw.Code)
	}
	for _, run := range raw.Runs {
		r.Runs = append(r.Runs, RunReply{LogID: run.LogID, Code: int(run.Code), Msg: run.Msg})
	}
	return r, nil
}
