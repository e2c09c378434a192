package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// addBackfill begins a backfill of a job for these due times.
func (b *fullFixture) addBackfill(job int64, parallel int, dues ...time.Time) int64 {
	b.Helper()
	f := &xxladapter.Backfill{JobID: job, Dues: dues}
	f.From, f.To, f.Parallel = at(-1000), at(0), parallel
	id, err := b.store.CreateBackfill(b.ctx, f)
	b.NoError(err)
	return id
}

func (b *fullFixture) backfill(id int64) *xxladapter.Backfill {
	b.Helper()
	f, err := b.store.Backfill(b.ctx, id)
	b.NoError(err)
	return f
}

// advance ends the open runs of a backfill with success and returns the fires that are planned
// next.
func (b *fullFixture) advance(id int64) []xxladapter.Fire {
	b.Helper()
	f := b.backfill(id)
	f.Succeeded, f.Open = f.Succeeded+len(f.Open), nil
	planned, err := b.store.AdvanceBackfill(b.ctx, f)
	b.NoError(err)
	return planned
}

var backfillRules = []fullRule{
	{"ABackfillPlansEachDueTimeOnceInItsOrder", func(b *fullFixture) {
		job := b.addJob("job")
		dues := []time.Time{at(-10), at(-30).Add(7 * time.Millisecond), at(-20), at(-40), at(-50)}
		id := b.addBackfill(job, 2, dues...)
		is := b.backfill(id)
		b.Equal(dues, is.Dues)
		b.Equal(xxladapter.BackfillRunning, is.State)
		b.Equal(5, is.Total)
		var got []time.Time
		for _, n := range []int{2, 2, 1} {
			planned := b.advance(id)
			b.Len(planned, n)
			for _, f := range planned {
				b.Equal(job, f.JobID)
				b.Equal(b.group, f.GroupID)
				b.Equal(xxladapter.TriggerBackfill, f.Type)
				b.Equal(xxladapter.FirePlanned, f.State)
				got = append(got, f.Due)
			}
			is = b.backfill(id)
			b.Len(is.Open, n)
			for i, run := range is.Open {
				o, err := b.store.Order(b.ctx, run.Order)
				b.NoError(err)
				b.Equal(planned[i].ID, o.FireID)
				b.Equal(planned[i].Due, run.Due)
			}
			_, err := b.store.AdvanceBackfill(b.ctx, is) // nothing has ended
			b.NoError(err)
			b.Len(b.backfill(id).Open, n)
		}
		b.Equal(dues, got)
		b.Len(b.openFires(xxladapter.FireFilter{}), 5)
		b.Empty(b.advance(id))
		is = b.backfill(id)
		b.Equal(xxladapter.BackfillDone, is.State)
		b.Equal(5, is.Succeeded)
		b.False(is.Ended.IsZero())
	}},
	{"PurgingLogsKeepsTheOrdersOfABackfillThatRuns", func(b *fullFixture) {
		id := b.addBackfill(b.addJob("job"), 1, at(-10), at(-20))
		b.claim(b.advance(id)[0], "n1", 1)
		open := b.backfill(id).Open[0].Order
		b.settle(b.openFires(xxladapter.FireFilter{})[0], "", xxladapter.ResultOK)
		b.clock.Advance(2 * time.Hour)
		old := xxladapter.LogPurge{Before: epoch.Add(time.Hour), Unalarmed: true}
		b.Zero(b.purge(old, 10), "the run is in progress")
		b.Len(b.order(open).LogIDs, 1)
		b.NoError(b.store.CancelBackfill(b.ctx, id))
		b.purge(old, 10)
		_, err := b.store.Order(b.ctx, open)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"OfTwoWhoAdvanceABackfillOneIsRefused", func(b *fullFixture) {
		id := b.addBackfill(b.addJob("job"), 1, at(-10), at(-20))
		was := b.backfill(id)
		b.Len(b.advance(id), 1)
		_, err := b.store.AdvanceBackfill(b.ctx, was)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.Len(b.openFires(xxladapter.FireFilter{}), 1)
	}},
	{"ADueTimeThatAnotherFireHasWaits", func(b *fullFixture) {
		job := b.addJob("job")
		b.plan(job, at(-20), xxladapter.TriggerManual)
		id := b.addBackfill(job, 5, at(-10), at(-20), at(-30))
		planned := b.advance(id)
		b.Len(planned, 1)
		b.Equal(at(-10), planned[0].Due)
		b.Empty(b.advance(id))
		b.Equal(1, b.backfill(id).Planned)
	}},
	{"ACancelledBackfillPlansNothingMore", func(b *fullFixture) {
		job := b.addJob("job")
		other := b.plan(job, at(-5), xxladapter.TriggerManual)
		id := b.addBackfill(job, 1, at(-10), at(-20))
		planned := b.advance(id)
		was := b.backfill(id)
		b.NoError(b.store.CancelBackfill(b.ctx, id))
		b.Equal(xxladapter.BackfillCancelled, b.backfill(id).State)
		open := b.openFires(xxladapter.FireFilter{})
		b.Len(open, 1)
		b.Equal(other.ID, open[0].ID)
		_, err := b.store.ClaimFire(b.ctx, b.term("n1"), planned[0].ID, b.newLogs(job, 1))
		b.ErrorIs(err, xxladapter.ErrConflict)
		_, err = b.store.AdvanceBackfill(b.ctx, was)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.ErrorIs(b.store.CancelBackfill(b.ctx, id), xxladapter.ErrConflict)
	}},
	{"AJobHasOneRunningBackfill", func(b *fullFixture) {
		job := b.addJob("job")
		id := b.addBackfill(job, 1, at(-10))
		again := &xxladapter.Backfill{JobID: job, Dues: []time.Time{at(-10)}}
		again.Parallel = 1
		_, err := b.store.CreateBackfill(b.ctx, again)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.NoError(b.store.CancelBackfill(b.ctx, id))
		next := b.addBackfill(job, 1, at(-10))
		list, err := b.store.Backfills(b.ctx, xxladapter.BackfillFilter{JobID: job})
		b.NoError(err)
		b.Len(list, 2)
		b.Equal([]int64{next, id}, []int64{list[0].ID, list[1].ID})
		b.Nil(list[0].Dues)
		for _, f := range []xxladapter.BackfillFilter{
			{State: xxladapter.BackfillRunning}, {Limit: 1}, {Groups: []int64{b.group}, Limit: 1},
		} {
			list, err = b.store.Backfills(b.ctx, f)
			b.NoError(err)
			b.Len(list, 1)
			b.Equal(next, list[0].ID)
		}
		list, err = b.store.Backfills(b.ctx, xxladapter.BackfillFilter{Groups: []int64{}})
		b.NoError(err)
		b.Empty(list)
	}},
	{"AClaimIsFoundByTheOrderOfItsDueTime", func(b *fullFixture) {
		job := b.addJob("job")
		id := b.addBackfill(job, 1, at(-10))
		planned := b.advance(id)
		claimed, err := b.store.ClaimFire(b.ctx, b.term("n1"), planned[0].ID, b.newLogs(job, 1))
		b.NoError(err)
		b.Equal(at(-10), claimed[0].Due)
		o, err := b.store.Order(b.ctx, b.backfill(id).Open[0].Order)
		b.NoError(err)
		b.Equal([]int64{claimed[0].LogID}, o.LogIDs)
		b.True(o.Open)
		histories, err := b.store.RunHistories(b.ctx, o.LogIDs)
		b.NoError(err)
		h := histories[claimed[0].LogID]
		b.Equal(at(-10), h.Due)
		b.Zero(h.Lateness())
	}},
	{"RemovingAJobRemovesItsBackfills", func(b *fullFixture) {
		for _, remove := range []func(id int64) error{
			func(id int64) error { return xxladapter.RemoveJob(b.ctx, b.store, id) },
			func(id int64) error {
				_, err := b.store.Declare(b.ctx, &xxladapter.Declaration{
					Remove: []xxladapter.SeenJob{{ID: id, Updated: b.job(id).Updated}},
				})
				return err
			},
		} {
			job := b.addJob("job")
			id := b.addBackfill(job, 1, at(-10))
			was := b.backfill(id)
			b.NoError(remove(job))
			_, err := b.store.Backfill(b.ctx, id)
			b.ErrorIs(err, xxladapter.ErrNotFound)
			_, err = b.store.AdvanceBackfill(b.ctx, was)
			b.ErrorIs(err, xxladapter.ErrNotFound)
			b.ErrorIs(b.store.CancelBackfill(b.ctx, id), xxladapter.ErrNotFound)
			_, err = b.store.CreateBackfill(b.ctx, was)
			b.ErrorIs(err, xxladapter.ErrNotFound)
		}
	}},
}
