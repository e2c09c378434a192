package demo

import (
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// A ledger records what a demo sees, prints a line for each run once its result is known, and
// computes the totals. It may be used from any goroutine.
type ledger struct {
	out io.Writer

	mu       sync.Mutex // guards the fields below
	names    map[int64]string
	rows     map[int64]*row // by log id
	misfires map[int64][]xxladapter.Misfire
	changed  chan struct{} // closed and replaced when a row gets its result
}

// A row is one run; a fire of a broadcast has several. Its hand-over and its result are reported by
// different goroutines, in any order.
type row struct {
	jobID   int64
	due     time.Time
	shard   string
	addr    string
	sent    time.Time
	handed  bool // accepted by the executor, refused, or given up
	outcome string
	ended   time.Time
	result  int
}

const header = "TIME          JOB                   DUE                LATE  EXECUTOR                  RESULT     RUN TIME"

func newLedger(out io.Writer) *ledger {
	return &ledger{
		out: out, names: make(map[int64]string), rows: make(map[int64]*row),
		misfires: make(map[int64][]xxladapter.Misfire), changed: make(chan struct{}),
	}
}

func (l *ledger) name(j *xxladapter.Job) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.names[j.ID] = j.Name
}

// event records what trigger.Options.OnEvent reports.
func (l *ledger) event(e trigger.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := l.rows[e.LogID]
	if r == nil {
		r = new(row)
		l.rows[e.LogID] = r
	}
	if e.Kind == trigger.EventResult {
		r.ended, r.result = e.At, e.Code
	} else {
		r.jobID, r.due, r.addr = e.JobID, e.Fire.Due, e.Address
		if r.sent.IsZero() {
			r.sent = e.At // the first attempt
		}
		if e.Fire.ShardTotal > 1 {
			r.shard = fmt.Sprintf(" %d/%d", e.Fire.ShardIndex, e.Fire.ShardTotal)
		}
		switch e.Kind {
		case trigger.EventSent:
			r.handed = true
		case trigger.EventFailed:
			r.handed, r.outcome = true, e.Msg
		}
	}
	if r.handed && (r.outcome != "" || r.result != 0) {
		l.print(r)
		close(l.changed)
		l.changed = make(chan struct{})
	}
}

// print writes the line of a run.
//
// REQUIRES: l.mu is held.
func (l *ledger) print(r *row) {
	result, runTime := xxladapter.ResultName(r.result), ""
	if r.outcome != "" {
		result = "not run: " + printing.FirstLine(r.outcome)
	} else {
		runTime = fmt.Sprintf("%8.1f ms", milliseconds(r.ended.Sub(r.sent)))
	}
	fmt.Fprintf(l.out, "%s  %-20s  %s  %6.1f ms  %-24s  %-7s %s\n",
		time.Now().Format("15:04:05.000"), l.names[r.jobID]+r.shard, r.due.Local().Format("15:04:05.000"),
		milliseconds(r.sent.Sub(r.due)), r.addr, result, runTime)
}

// misfire records what scheduler.Options.OnMisfire reports.
func (l *ledger) misfire(m xxladapter.Misfire) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.misfires[m.JobID] = append(l.misfires[m.JobID], m)
	fmt.Fprintf(l.out, "%s  %-20s  %s  misfire up to %s: %s\n", time.Now().Format("15:04:05.000"),
		l.names[m.JobID], m.Due.Local().Format("15:04:05.000"), m.Until.Local().Format("15:04:05.000"), m.Strategy)
}

// misfiredAt returns when a due time was found to have misfired.
func (l *ledger) misfiredAt(jobID int64, due time.Time) (time.Time, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, m := range l.misfires[jobID] {
		if !due.Before(m.Due) && !due.After(m.Until) {
			return m.At, true
		}
	}
	return time.Time{}, false
}

func (l *ledger) hasFired(jobID int64, due time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.rows {
		if r.jobID == jobID && r.due.Equal(due) {
			return true
		}
	}
	return false
}

// waitForResults returns when every reported run has its result or was not run, or after limit.
func (l *ledger) waitForResults(limit time.Duration) {
	timeout := time.After(limit)
	for {
		l.mu.Lock()
		open, changed := false, l.changed
		for _, r := range l.rows {
			open = open || r.outcome == "" && r.result == 0
		}
		l.mu.Unlock()
		if !open {
			return
		}
		select {
		case <-changed:
		case <-timeout:
			return
		}
	}
}

// totals returns the closing line. Lateness is the time from the due time to the moment when the
// run request was sent.
func (l *ledger) totals(missed int) string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var fires, results, failed, early int
	var late []time.Duration
	for _, r := range l.rows {
		if r.sent.IsZero() {
			continue // the result of a run that was sent before this demo started
		}
		fires++
		if r.result != 0 {
			results++
		}
		if r.outcome != "" || r.result != 0 && r.result != xxladapter.ResultOK {
			failed++
		}
		if r.sent.Before(r.due) {
			early++
		}
		late = append(late, r.sent.Sub(r.due))
	}
	slices.Sort(late)
	return fmt.Sprintf("fires=%d results=%d failed=%d missed=%d early=%d late_p50=%.1fms late_p99=%.1fms late_max=%.1fms",
		fires, results, failed, missed, early,
		milliseconds(quantile(late, 0.50)), milliseconds(quantile(late, 0.99)), milliseconds(quantile(late, 1)))
}

// quantile returns the smallest element that is at least as large as the share q of sorted, or 0 if
// sorted is empty.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	i := int(q*float64(len(sorted))+0.999999) - 1
	return sorted[max(0, min(i, len(sorted)-1))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
