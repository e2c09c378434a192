package storetest

import (
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var orderRules = []fullRule{
	{"AnOrderPlansAFireAndShowsItsLogRow", func(b *fullFixture) {
		id := b.addJob("ordered")
		param := "p"
		o, fire, err := b.store.PlanOrder(b.ctx, xxladapter.Fire{
			JobID: id, Due: at(1), Type: xxladapter.TriggerManual, RetryCount: -1, Param: &param,
			Addresses: []string{"http://a:1"},
		}, "", "digest")
		b.NoError(err)
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{JobID: id}))
		b.Equal("p", *fire.Param)
		want := &xxladapter.Order{
			ID: o.ID, JobID: id, FireID: fire.ID, Request: "digest", Created: epoch.Truncate(time.Millisecond),
			Open: true,
		}
		b.Equal(want, o)
		b.Equal(want, b.order(o.ID))

		claimed := b.claim(fire, "n1", 1)
		want.LogIDs = []int64{claimed[0].LogID}
		b.Equal(want, b.order(o.ID))
		b.settleBy(b.term("n1"), xxladapter.Settlement{
			FireID: fire.ID, LogID: claimed[0].LogID, Code: xxladapter.ResultOK,
		})
		want.Open = false
		b.Equal(want, b.order(o.ID))
	}},
	{"AParameterThatALogRowCannotHoldIsRefused", func(b *fullFixture) {
		id, param := b.addJob("ordered"), strings.Repeat("p", xxladapter.MaxRowText+1)
		refused := func(err error) {
			var coded *xxladapter.Error
			b.ErrorAs(err, &coded)
			b.Equal(xxladapter.CodeInvalid, coded.Code)
		}
		_, _, err := b.store.PlanOrder(b.ctx, xxladapter.Fire{
			JobID: id, Due: at(1), Type: xxladapter.TriggerManual, RetryCount: -1, Param: &param,
		}, "", "digest")
		refused(err)
		b.Empty(b.openFires(xxladapter.FireFilter{JobID: id}))
		_, err = b.store.CreateBackfill(b.ctx, &xxladapter.Backfill{
			JobID: id, Dues: []time.Time{at(1)},
			BackfillProgress: xxladapter.BackfillProgress{Parallel: 1, Param: &param},
		})
		refused(err)
		list, err := b.store.Backfills(b.ctx, xxladapter.BackfillFilter{JobID: id})
		b.NoError(err)
		b.Empty(list)
	}},
	{"AnOrderShowsTheLogRowsOfAllShards", func(b *fullFixture) {
		o, fire := b.place(b.addJob("broadcast"), "")
		var logs []int64
		for _, f := range b.claim(fire, "n1", 3) {
			logs = append(logs, f.LogID)
		}
		b.Equal(logs, b.order(o.ID).LogIDs)
	}},
	{"OrdersKnowTheirOwnLogRowsOnly", func(b *fullFixture) {
		id := b.addJob("several")
		first, fire1 := b.place(id, "")
		second, fire2 := b.place(id, "")
		b.NotEqual(fire1.Due, fire2.Due)
		b.claim(b.plan(id, at(7), xxladapter.TriggerCron), "n1", 1)
		claimed := b.claim(fire2, "n1", 1)
		b.Empty(b.order(first.ID).LogIDs)
		b.Equal([]int64{claimed[0].LogID}, b.order(second.ID).LogIDs)
	}},
	{"AKeyIsTakenOnceByEachJob", func(b *fullFixture) {
		id, other := b.addJob("job"), b.addJob("other")
		o, fire := b.place(id, "key one")
		again, none, err := b.store.PlanOrder(
			b.ctx, xxladapter.Fire{JobID: id, Due: at(5), Type: xxladapter.TriggerAPI, RetryCount: -1}, "key one",
			"another",
		)
		b.NoError(err)
		b.Zero(none)
		b.Equal(o, again)
		found, err := b.store.OrderByKey(b.ctx, id, "key one")
		b.NoError(err)
		b.Equal(o, found)
		for _, none := range []struct {
			job int64
			key string
		}{{id, "Key one"}, {other, "key one"}, {other + 1, "key one"}} {
			found, err := b.store.OrderByKey(b.ctx, none.job, none.key)
			b.NoError(err)
			b.Nil(found)
		}
		b.Equal([]xxladapter.Fire{fire}, b.openFires(xxladapter.FireFilter{}))
		for _, key := range []string{"Key one", "key two", ""} {
			next, _ := b.place(id, key)
			b.NotEqual(o.ID, next.ID)
		}
		next, _ := b.place(other, "key one")
		b.NotEqual(o.ID, next.ID)

		claimed := b.claim(fire, "n1", 1) // the caller asks again after the run
		again, _ = b.place(id, "key one")
		b.Equal([]int64{claimed[0].LogID}, again.LogIDs)
		_, _, err = b.store.PlanOrder(
			b.ctx, xxladapter.Fire{JobID: other + 1, Due: at(5), Type: xxladapter.TriggerAPI}, "key", "",
		)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"OneOfManyCallersWithAKeyPlans", func(b *fullFixture) {
		id := b.addJob("raced")
		var callers sync.WaitGroup
		orders := make(chan int64, 8)
		for range cap(orders) {
			callers.Go(func() {
				o, _, err := b.store.PlanOrder(
					b.ctx, xxladapter.Fire{JobID: id, Due: at(1), Type: xxladapter.TriggerManual, RetryCount: -1},
					"key", "",
				)
				if b.NoErrorf(err, "%v", err); err == nil {
					orders <- o.ID
				}
			})
		}
		callers.Wait()
		first := <-orders
		for range cap(orders) - 1 {
			b.Equal(first, <-orders)
		}
		b.Len(b.openFires(xxladapter.FireFilter{}), 1)
	}},
	{"RemovingAJobRemovesItsOrders", func(b *fullFixture) {
		id := b.addJob("removed")
		o, _ := b.place(id, "key")
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		_, err := b.store.Order(b.ctx, o.ID)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"PurgingLogsRemovesOldOrders", func(b *fullFixture) {
		id := b.addJob("old")
		old, fire := b.place(id, "old")
		open, _ := b.place(id, "open")
		logID := b.claim(fire, "n1", 1)[0].LogID
		_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: logID, Code: xxladapter.ResultOK})
		b.NoError(err)
		b.clock.Advance(2 * time.Hour)
		young, _ := b.place(id, "young")
		for _, p := range []xxladapter.LogPurge{
			{JobID: id, Before: epoch.Add(time.Hour), Unalarmed: true}, {KeepNewest: 1, Unalarmed: true},
			{Before: epoch.Add(time.Hour), Successes: true, Unalarmed: true},
		} {
			_, err = b.store.PurgeLogs(b.ctx, p, 100)
			b.NoError(err)
			b.order(old.ID)
		}
		_, err = b.store.PurgeLogs(b.ctx, xxladapter.LogPurge{Before: epoch.Add(time.Hour), Unalarmed: true}, 100)
		b.NoError(err)
		_, err = b.store.Order(b.ctx, old.ID)
		b.ErrorIs(err, xxladapter.ErrNotFound)
		b.True(b.order(open.ID).Open)
		b.order(young.ID)
	}},
	{"PurgingLogsRemovesAllOldOrdersHoweverFewLogsThereAre", func(b *fullFixture) {
		id := b.addJob("keeps failures only")
		var orders []int64
		for range 5 {
			o, fire := b.place(id, "")
			logID := b.claim(fire, "n1", 1)[0].LogID
			_, _, err := b.store.FinishRun(b.ctx, xxladapter.RunResult{LogID: logID, Code: xxladapter.ResultOK})
			b.NoError(err)
			orders = append(orders, o.ID)
		}
		b.Equal(4, b.purge(xxladapter.LogPurge{JobID: id, UntilID: b.logIDs()[3], Unalarmed: true}, 10))
		b.clock.Advance(2 * time.Hour)
		b.Equal(1, b.purge(xxladapter.LogPurge{Before: epoch.Add(time.Hour), Unalarmed: true}, 2))
		for _, order := range orders {
			_, err := b.store.Order(b.ctx, order)
			b.ErrorIs(err, xxladapter.ErrNotFound)
		}
	}},
}

func (b *fullFixture) order(id int64) *xxladapter.Order {
	b.Helper()
	o, err := b.store.Order(b.ctx, id)
	b.NoError(err)
	return o
}

// place places an order for a run of the job.
func (b *fullFixture) place(jobID int64, key string) (*xxladapter.Order, xxladapter.Fire) {
	b.Helper()
	o, fire, err := b.store.PlanOrder(
		b.ctx, xxladapter.Fire{JobID: jobID, Due: at(1), Type: xxladapter.TriggerManual, RetryCount: -1}, key, "",
	)
	b.NoError(err)
	return o, fire
}
