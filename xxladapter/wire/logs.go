package wire

import "encoding/json"

// A LogRequest reads a run's log: POST [PathLog].
type LogRequest struct {
	LogID    Int
	LogTime  Int // the [RunRequest.LogTime] of the run
	FromLine Int // 1-based, inclusive
}

type logRequest struct {
	LogDateTim  *Int `json:"logDateTim"`  // G1 to G3
	LogDateTime *Int `json:"logDateTime"` // G4
	LogID       Int  `json:"logId"`
	FromLineNum Int  `json:"fromLineNum"`
}

// MarshalJSON writes the time in both spellings, so that an executor of any generation finds it.
func (r LogRequest) MarshalJSON() ([]byte, error) {
	return json.Marshal(logRequest{&r.LogTime, &r.LogTime, r.LogID, r.FromLine})
}

// UnmarshalJSON accepts either spelling.
func (r *LogRequest) UnmarshalJSON(data []byte) error {
	var raw logRequest
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*r = LogRequest{LogID: raw.LogID, LogTime: either(raw.LogDateTime, raw.LogDateTim), FromLine: raw.FromLineNum}
	return nil
}

// A LogResult is the payload of the reply to a [LogRequest].
type LogResult struct {
	FromLine Int    `json:"fromLineNum"`
	ToLine   Int    `json:"toLineNum"` // number of the last line; 0 means none
	Content  string `json:"logContent"`
	End      bool   `json:"isEnd"` // Java executors set it only if there is no log file
	// LogsAge is the time, in milliseconds, for which the executor has kept the log of every run.
	// It is set if there is no log of this run. 0 means unknown, as from Java executors.
	LogsAge Int `json:"logsAgeMs,omitempty"`
}

// either returns the first value that is present, or 0.
func either(values ...*Int) Int {
	for _, v := range values {
		if v != nil {
			return *v
		}
	}
	return 0
}
