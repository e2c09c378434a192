package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A StallOpener is an [Opener] whose store has a database that can be kept from answering: stall
// holds everything between the two, on old and new connections, until the function that it returns
// is called. If the store has several databases, stall holds those that are servers.
type StallOpener func(t *testing.T, clock func() time.Time) (s xxladapter.Store, stall func() (resume func()))

// A SchedulingStallOpener is a [StallOpener] of stores that need not have the half that manages.
type SchedulingStallOpener func(
	t *testing.T, clock func() time.Time,
) (s xxladapter.SchedulingStore, stall func() (resume func()))

// stallShort is how long a rule lets a call wait for a stalled database, by its context or until
// the database answers again. It is below the shortest silence that a store takes for a dead
// connection.
const stallShort = 300 * time.Millisecond

// stallEnd bounds what has to end at once, on a machine that is busy.
const stallEnd = 10 * time.Second

// scheduling returns an opener of the same stores.
func (open StallOpener) scheduling() SchedulingStallOpener {
	return func(t *testing.T, clock func() time.Time) (xxladapter.SchedulingStore, func() func()) {
		return open(t, clock)
	}
}

// runStalls checks the rules of stalls on the first of open. If open is empty, it skips them.
func runStalls(t *testing.T, open []SchedulingStallOpener) {
	for _, c := range stallRules {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if len(open) == 0 {
				t.Skip("the database of this store cannot be stalled")
			}
			var stall func() func()
			b := newFixture(t, func(t *testing.T, clock func() time.Time) (s xxladapter.SchedulingStore) {
				s, stall = open[0](t, clock)
				return s
			})
			c.check(b, stall)
		})
	}
}

// short returns a context that ends while a stall lasts.
func (b *fixture) short() context.Context {
	ctx, cancel := context.WithTimeout(b.ctx, stallShort)
	b.Cleanup(cancel)
	return ctx
}

// endsAtOnce checks that call does not wait for the database.
func (b *fixture) endsAtOnce(call func()) {
	b.Helper()
	begun := time.Now()
	call()
	b.Less(time.Since(begun), stallEnd)
}

var stallRules = []struct {
	name  string
	check func(b *fixture, stall func() (resume func()))
}{
	{"AReadEndsWithItsContext", func(b *fixture, stall func() func()) {
		id := b.addJob("job")
		b.plan(id, at(3600), xxladapter.TriggerCron) // which a store may still have to write to its tables
		resume := stall()
		begun := time.Now()
		_, err := b.store.Job(b.short(), id)
		b.ErrorIs(err, context.DeadlineExceeded)
		b.Less(time.Since(begun), stallEnd/2) // nor does it wait for a call that waits
		resume()
		b.Equal("job", b.job(id).Name)
	}},
	{"AWriteEndsWithItsContextAndIsNeverHalfDone", func(b *fixture, stall func() func()) {
		resume := stall()
		var written error // nil if the call needs only databases that answer
		b.endsAtOnce(func() { _, written = xxladapter.CreateJob(b.short(), b.store, b.newJob("stalled")) })
		resume()
		b.addJob("after")
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{Name: "stalled"})
		b.NoError(err)
		b.LessOrEqual(len(jobs), 1)
		if written == nil {
			b.Len(jobs, 1)
		}
		for _, j := range jobs {
			b.Equal(b.newJob("stalled").Settings, j.Settings)
			b.Equal(b.newJob("stalled").Tags, j.Tags)
		}
	}},
	{"AScanEndsWithItsContextAndEachDueTimeHasOneFire", func(b *fixture, stall func() func()) {
		id := b.addRunning("job", at(0))
		term := b.term("n1")
		claim := func(ctx context.Context) ([]xxladapter.Fire, error) {
			fires, _, err := b.store.ClaimDue(ctx, term, 0, 10, func(now time.Time, due []*xxladapter.Job) (ds []xxladapter.Decision) {
				for _, j := range due {
					ds = append(ds, xxladapter.Decision{
						JobID: j.ID, Last: j.TriggerNext, Next: at(3600),
						Fires: []xxladapter.Fire{{JobID: j.ID, Due: j.TriggerNext, Type: xxladapter.TriggerCron}},
					})
				}
				return ds
			})
			return fires, err
		}
		resume := stall()
		b.endsAtOnce(func() {
			_, err := claim(b.short())
			b.Error(err)
		})
		resume()
		b.repeatUntilClaimed(id, func() error {
			_, err := claim(b.ctx)
			return err
		})
		b.Equal(at(3600), b.job(id).TriggerNext)
		b.Len(b.openFires(xxladapter.FireFilter{}), 1)
	}},
	{"ACallWaitsForAStallThatEnds", func(b *fixture, stall func() func()) {
		resume := stall()
		timer := time.AfterFunc(stallShort, resume)
		defer timer.Stop()
		b.Equal("late", b.job(b.addJob("late")).Name)
	}},
	// A store that writes its tables later may return an error, which must say that what
	// they lack is kept.
	{"ACloseDoesNotWaitForTheDatabase", func(b *fixture, stall func() func()) {
		b.plan(b.addJob("job"), at(3600), xxladapter.TriggerCron)
		stall()
		_, err := b.store.Job(b.short(), 1)
		b.ErrorIs(err, context.DeadlineExceeded)
		b.endsAtOnce(func() { b.closeErr = b.store.Close() })
		if b.closeErr != nil {
			b.ErrorContains(b.closeErr, "nothing is lost")
		}
	}},
}

// repeatUntilClaimed repeats a scan until it has moved the first due time of a job. The database
// may hold the row for a scan that has ended without an answer, and scans skip it meanwhile.
func (b *fixture) repeatUntilClaimed(id int64, scan func() error) {
	for end := time.Now().Add(stallEnd); b.job(id).TriggerNext.Equal(at(0)) && time.Now().Before(end); {
		b.NoError(scan())
	}
}
