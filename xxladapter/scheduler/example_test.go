package scheduler_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
)

// A printer is a pool that shows the first fire and ends the scheduler. The pool of package trigger
// claims each fire in the store and sends it to an executor.
type printer struct {
	first *sync.Once // a fire that nobody claims may be handed out again
	stop  context.CancelFunc
}

func (p printer) Fire(f xxladapter.Fire, done func()) bool {
	defer done()
	p.first.Do(func() { fmt.Printf("job %d fires\n", f.JobID) })
	p.stop()
	return true
}

func (p printer) Resolve(_ xxladapter.Fire, done func()) bool { done(); return true }

func (p printer) Waits() map[int64]time.Duration              { return nil }
func (p printer) Refused() (due time.Time, id int64, ok bool) { return time.Time{}, 0, false }
func (p printer) Offered(time.Time, int64, *xxladapter.Fire)  {}
func (p printer) Report() (fast, slow xxladapter.PoolReport)  { return fast, slow }

// A scheduler plans what is due in a store and hands it to a pool when its time has come.
func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	store := memstore.New(time.Now)
	group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "example", Title: "example"})
	if err != nil {
		panic(err)
	}
	job := &xxladapter.Job{GroupID: group, Name: "job", Author: "me", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?", Handler: "greet"}
	job.SetDefaults()
	id, err := xxladapter.CreateJob(ctx, store, job)
	if err != nil {
		panic(err)
	}
	first := func(now time.Time) time.Time { return now.Add(time.Second) }
	if _, err := xxladapter.StartJob(ctx, store, id, time.Time{}, first); err != nil {
		panic(err)
	}

	s, err := scheduler.New(scheduler.Options{
		Store: store, Pool: printer{new(sync.Once), cancel}, Node: "example", Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		panic(err)
	}
	var parts errgroup.Group
	parts.Go(func() error { return s.HoldLease(ctx) }) // Run does nothing without it
	parts.Go(func() error { return s.Run(ctx) })
	if err := parts.Wait(); err != nil {
		panic(err)
	}
	// Output: job 1 fires
}
