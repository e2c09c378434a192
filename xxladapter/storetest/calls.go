package storetest

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var callRules = []rule{
	{"ACallWhoseContextHasEndedDoesNothing", func(b *fixture) {
		ctx, cancel := context.WithCancel(b.ctx)
		cancel()
		_, err := xxladapter.CreateJob(ctx, b.store, b.newJob("never"))
		b.ErrorIs(err, context.Canceled)
		_, err = b.store.Jobs(ctx, xxladapter.JobFilter{})
		b.ErrorIs(err, context.Canceled)
		_, err = b.store.Now(ctx)
		b.ErrorIs(err, context.Canceled)
		jobs, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
		b.NoError(err)
		b.Empty(jobs)
	}},
	{"CallsAfterCloseFail", func(b *fixture) {
		b.NoError(b.store.Close())
		b.NoError(b.store.Close(), "closing again is fine")
		_, err := b.store.Job(b.ctx, 1)
		b.Error(err)
		b.NotErrorIs(err, xxladapter.ErrNotFound)
		b.Error(b.store.Register(b.ctx, app, "http://a:1"))
		_, err = b.store.Now(b.ctx)
		b.Error(err)
	}},
	{"APanicInDecideReachesItsCallerAndHurtsNoOther", func(b *fixture) {
		id := b.addRunning("job", at(0))
		b.Panics(func() {
			_, _, _ = b.store.ClaimDue(b.ctx, b.term("n1"), 0, 10, func(time.Time, []*xxladapter.Job) []xxladapter.Decision {
				panic("a bug")
			})
		})
		b.Equal(at(0), b.job(id).TriggerNext)
		b.Len(b.claimDue(), 1)
	}},
}
