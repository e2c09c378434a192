package main

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A watched store measures its scans.
type watched struct {
	xxladapter.Store
	from time.Time // earlier scans do not count

	mu    sync.Mutex      // guards the fields below
	scans []time.Duration // durations of the scans that found jobs
	work  []time.Duration // processor time of this process during each
	begun time.Time       // start of the first of these scans
	ended time.Time       // end of the last one
	jobs  int
	fires int
}

// ClaimDue implements [xxladapter.Store].
func (w *watched) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {

	started, worked := time.Now(), cpuTime()
	fires, jobs, err := w.Store.ClaimDue(ctx, by, ahead, limit, decide)
	if err == nil && jobs > 0 && !started.Before(w.from) {
		w.took(started, cpuTime()-worked, jobs, len(fires))
	}
	return fires, jobs, err
}

func (w *watched) took(started time.Time, work time.Duration, jobs, fires int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = time.Now()
	if w.begun.IsZero() {
		w.begun = started
	}
	w.scans = append(w.scans, w.ended.Sub(started))
	w.work = append(w.work, work)
	w.jobs += jobs
	w.fires += fires
}

// planned returns how many jobs the measured scans have found so far.
func (w *watched) planned() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.jobs
}

// A discard is a pool that accepts every fire and hands over none.
type discard struct{}

func (discard) Fire(xxladapter.Fire, func()) bool    { return true }
func (discard) Resolve(xxladapter.Fire, func()) bool { return true }

func (discard) Waits() map[int64]time.Duration              { return nil }
func (discard) Refused() (due time.Time, id int64, ok bool) { return due, 0, false }
func (discard) Offered(time.Time, int64, *xxladapter.Fire)  {}
func (discard) Report() (fast, slow xxladapter.PoolReport)  { return fast, slow }

// pollUntil polls ok until it returns true, ctx ends, or limit has passed, and returns its result.
func pollUntil(ctx context.Context, limit time.Duration, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	pace := time.NewTicker(5 * time.Millisecond)
	defer pace.Stop()
	for !ok() {
		select {
		case <-ctx.Done():
			return ok()
		case <-pace.C:
		}
	}
	return true
}
