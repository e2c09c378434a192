package executor

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Limits of takenResults. A scheduler asks within a minute after it has lost a result.
const (
	maxTaken      = 1 << 16 // about 4 MB
	maxTakenBytes = 4 << 20 // of their messages
)

// takenResults holds the latest results that an admin has acknowledged, the oldest first, for an
// admin whose store has lost them. They are only in memory: a restart brings back those that the
// journal still contains.
type takenResults struct {
	list  []result
	bytes int // of their messages
}

func (t *takenResults) add(list []result) {
	for _, r := range list {
		r.batch = nil
		t.list, t.bytes = append(t.list, r), t.bytes+len(r.msg)
	}
	if len(t.list) <= maxTaken && t.bytes <= maxTakenBytes {
		return
	}
	// At least a quarter is dropped, so that the rest is seldom copied.
	n := 0
	for n < len(t.list) && (n < maxTaken/4 && len(t.list) > maxTaken || t.bytes > maxTakenBytes*3/4) {
		t.bytes -= len(t.list[n].msg)
		n++
	}
	t.list = append([]result(nil), t.list[n:]...)
}

// ended returns the results of the given runs that have ended, except results that an admin still
// has to acknowledge. A code of 0 means that the result is no longer known. Runs that the journal
// does not know, or no longer knows, are left out: they may be in progress on another executor.
func (s *journalState) ended(asked []wire.RunID) []result {
	waits := map[int64]bool{}
	for _, r := range s.results {
		waits[r.logID] = true
	}
	of := make(map[int64]wire.RunID, len(asked))
	for _, id := range asked {
		_, open := s.open[int64(id.LogID)]
		if !open && !waits[int64(id.LogID)] && !s.isBack(int64(id.LogID)) {
			of[int64(id.LogID)] = id
		}
	}
	if len(of) == 0 {
		return nil
	}
	found := make(map[int64]result, len(of))
	for _, r := range s.taken.list {
		if id, ok := of[r.logID]; ok && r.jobID == int64(id.JobID) {
			found[r.logID] = r
		}
	}
	var list []result
	for _, id := range asked {
		logID := int64(id.LogID)
		r, known := found[logID]
		if !known {
			r = result{logID: logID, jobID: int64(id.JobID), logTime: int64(id.LogTime)}
		}
		if _, ok := of[logID]; ok && (known || s.seen.has(logID, int64(id.LogTime))) {
			list = append(list, r)
		}
		delete(of, logID)
	}
	return list
}

// backWait is how long to wait for a run that was put back and that the store has given to this
// executor: it is delivered again after [delivery.AckWait], unless another executor took it.
const backWait = 2 * delivery.AckWait

// msgNotBegun is the result of a run that was put back and is not delivered again.
const msgNotBegun = "executor restarted before it was given the run, which has not begun"

// stranded returns results for those of the given runs that were put back and can no longer begin.
// A scheduler asks only about runs that the store has given to this executor. A run that was put
// back is among them if a scheduler handled a request of the earlier process late. If another
// executor took the run from the queue after that, it was not given the run, and removed it.
func (s *journalState) stranded(asked []wire.RunID, now time.Time) (list []result) {
	for _, id := range asked {
		logID := int64(id.LogID)
		run := s.back[logID]
		if !s.isBack(logID) || run.jobID != int64(id.JobID) || int64(id.LogTime) > run.logTime+seenRestart {
			continue
		}
		switch {
		case run.told.IsZero():
			run.told = now
			s.back[logID] = run
		case now.Sub(run.told) >= backWait:
			list = append(list, result{
				logID: logID, jobID: run.jobID, logTime: run.logTime, code: wire.CodeFail, msg: msgNotBegun,
			})
		}
	}
	return list
}

// ended returns what [journalState.ended] does, and ends the runs that are stranded.
func (j *journal) ended(asked []wire.RunID, now time.Time) []result {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, r := range j.state.stranded(asked, now) {
		if j.state.isBack(r.logID) { // not if it was asked for twice
			j.record(r)
		}
	}
	return j.state.ended(asked)
}

// ended answers a scheduler that has open runs of this executor. Results beyond the size of one
// reply are left out, so that the scheduler asks for them again.
func (e *Executor) ended(l *live, body []byte) wire.Reply {
	var asked []wire.RunID
	if err := wire.Decode(body, &asked); err != nil {
		return requestError(err)
	}
	return wire.OK().WithPayload(callbacksOf(bounded(l.journal.ended(asked, time.Now()), maxPayload)))
}
