package executor

import (
	"cmp"
	"slices"
	"time"
)

// journalState is the content of a journal. It is a plain value: reading a journal and running the
// executor change it through the same methods.
//
// Invariant: every accepted log id is in seen, and is in open until it has a result or is put back;
// the results of one job are in the order in which its runs ended.
type journalState struct {
	open    map[int64]openRun
	back    map[int64]backRun // runs that were put back; one that was accepted again is also in open
	results []result
	taken   takenResults
	seen    seenIDs
	accepts int64 // counts accepted runs, to keep their order
}

// openRun is an accepted run without a result.
type openRun struct {
	jobID, logTime int64
	order          int64
}

// backRun is a run from a queue that an earlier process had accepted, and that the store had not
// given to this executor when a later process asked. So it has not begun, and is accepted again if
// it is delivered again. It is forgotten with the second generation of seen ids after that.
type backRun struct {
	jobID, logTime int64
	aged           bool // a generation has ended since
	// told is when a scheduler first said that the store has given the run to this executor; zero
	// if none has. It is only in memory.
	told time.Time
}

// result is a run's result, whether an admin has accepted it or not.
type result struct {
	logID, jobID, logTime, code int64
	msg                         string
	batch                       *batch // the batch that writes it to disk; nil means that it is on disk
}

func newJournalState(now time.Time) *journalState {
	return &journalState{open: map[int64]openRun{}, back: map[int64]backRun{}, seen: newSeenIDs(now)}
}

// refuses reports whether a run was accepted before. One that was put back is accepted once more.
func (s *journalState) refuses(logID, logTime int64) bool {
	return s.seen.has(logID, logTime) && !s.isBack(logID)
}

// isBack reports whether a run was put back and not accepted since.
func (s *journalState) isBack(logID int64) bool {
	_, back := s.back[logID]
	_, open := s.open[logID]
	return back && !open
}

// accept records an accepted run.
//
// REQUIRES: refuses(logID, logTime) is false.
func (s *journalState) accept(logID, jobID, logTime int64) {
	s.accepts++
	s.open[logID] = openRun{jobID, logTime, s.accepts}
	if !s.seen.has(logID, logTime) {
		s.seen.add(logID, logTime)
		delete(s.back, logID) // that run is of an earlier database, or its id was forgotten
	}
}

// putBack records that an open run has not begun.
func (s *journalState) putBack(logID int64) {
	if run, open := s.open[logID]; open {
		s.back[logID] = backRun{jobID: run.jobID, logTime: run.logTime}
		delete(s.open, logID)
	}
}

// done records the end of a run whose result no admin will get.
func (s *journalState) done(logID int64) {
	delete(s.open, logID)
	delete(s.back, logID)
}

func (s *journalState) finish(r result) {
	s.done(r.logID)
	s.results = append(s.results, r)
}

// rotate begins a new generation of seen ids.
func (s *journalState) rotate(now time.Time) {
	s.seen.rotate(now)
	for id, run := range s.back {
		if run.aged {
			delete(s.back, id)
			continue
		}
		run.aged = true
		s.back[id] = run
	}
}

// take moves the n oldest results to those that an admin has acknowledged.
func (s *journalState) take(n int) {
	s.taken.add(s.results[:n])
	clear(s.results[:n]) // frees their messages
	s.results = s.results[n:]
	if len(s.results) == 0 {
		s.results = nil
	}
}

// postpone moves a job's results behind all others, in the same order.
func (s *journalState) postpone(jobID int64) {
	slices.SortStableFunc(s.results, func(a, b result) int {
		return cmp.Compare(ordinal(a.jobID == jobID), ordinal(b.jobID == jobID))
	})
}

func ordinal(b bool) int {
	if b {
		return 1
	}
	return 0
}

// openIDs returns the log ids of the open runs, in the order in which they were accepted.
func (s *journalState) openIDs() []int64 {
	ids := make([]int64, 0, len(s.open))
	for id := range s.open {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(s.open[a].order, s.open[b].order) })
	return ids
}

// appendOpen appends the records of the open runs and of those that were put back. The seen blocks
// contain their ids already, so a record of kind accepted would be ignored.
func (s *journalState) appendOpen(buf []byte) []byte {
	for _, id := range s.openIDs() {
		run := s.open[id]
		buf = appendRecord(buf, kindOpen, []int64{id, run.jobID, run.logTime}, nil)
	}
	for id, run := range s.back {
		buf = appendRecord(buf, kindBack, []int64{id, run.jobID, run.logTime, int64(ordinal(run.aged))}, nil)
	}
	return buf
}
