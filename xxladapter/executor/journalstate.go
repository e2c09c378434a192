package executor

import (
	"cmp"
	"slices"
	"time"
)

// journalState is the content of a journal. It is a plain value: reading a journal and running the
// executor change it through the same methods.
//
// Invariant: every accepted log id is in seen, and is in open until it has a result; the results of
// one job are in the order in which its runs ended.
type journalState struct {
	open    map[int64]openRun
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

// result is a run's result, whether an admin has accepted it or not.
type result struct {
	logID, jobID, logTime, code int64
	msg                         string
	batch                       *batch // the batch that writes it to disk; nil means that it is on disk
}

func newJournalState(now time.Time) *journalState {
	return &journalState{open: map[int64]openRun{}, seen: newSeenIDs(now)}
}

// accept records an accepted run.
//
// REQUIRES: seen.has(logID, logTime) is false.
func (s *journalState) accept(logID, jobID, logTime int64) {
	s.accepts++
	s.open[logID] = openRun{jobID, logTime, s.accepts}
	s.seen.add(logID, logTime)
}

func (s *journalState) finish(r result) {
	delete(s.open, r.logID)
	s.results = append(s.results, r)
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

// openIDs returns the runs without a result in the order in which they were accepted.
func (s *journalState) openIDs() []int64 {
	ids := make([]int64, 0, len(s.open))
	for id := range s.open {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int64) int { return cmp.Compare(s.open[a].order, s.open[b].order) })
	return ids
}

// appendOpen appends the records of the open runs. The seen blocks contain their ids already, so a
// record of kind accepted would be ignored.
func (s *journalState) appendOpen(buf []byte) []byte {
	for _, id := range s.openIDs() {
		run := s.open[id]
		buf = appendRecord(buf, kindOpen, []int64{id, run.jobID, run.logTime}, nil)
	}
	return buf
}
