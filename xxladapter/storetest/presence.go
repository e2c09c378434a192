package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// presenceLook is how long a case waits to see that a presence is held. It is real time, since
// servers wait by their own clocks.
const presenceLook = 200 * time.Millisecond

// hold holds the presence of a term until end is called or the case ends, and returns once it is
// held.
func (b *fixture) hold(term xxladapter.Term) (end func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	ended := make(chan struct{})
	go func() { // end waits for it
		defer close(ended)
		_ = b.store.HoldPresence(ctx, term) // the error of ctx
	}()
	end = func() { cancel(); <-ended }
	b.Cleanup(end)
	b.Eventually(func() bool { return b.held(term) }, 20*time.Second, time.Millisecond)
	return end
}

// free checks that nobody holds the presence of a term. Its limit is long: a slow answer is no sign
// of a holder.
func (b *fixture) free(term xxladapter.Term, why string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	_, err := b.store.AwaitAbsence(ctx, term)
	b.NoError(err, why)
}

// held reports whether a call that waits for the end of a term's presence waits for presenceLook. A
// server that answers more slowly looks the same: what must not be held is checked by free.
func (b *fixture) held(term xxladapter.Term) bool {
	ctx, cancel := context.WithTimeout(b.ctx, presenceLook)
	defer cancel()
	_, err := b.store.AwaitAbsence(ctx, term)
	return err != nil
}

// needsPresence skips the case if the store reports no presence.
func (b *fixture) needsPresence() {
	if _, err := b.store.AwaitAbsence(
		b.ctx, xxladapter.Term{Node: "nobody", Number: 1},
	); errors.Is(err, errors.ErrUnsupported) {
		b.ErrorIs(b.store.HoldPresence(b.ctx, xxladapter.Term{Node: "nobody", Number: 1}), errors.ErrUnsupported)
		b.Skip("the store reports no presence")
	}
}

var presenceRules = []rule{
	{"APresenceThatNobodyHoldsIsNotWaitedFor", func(b *fixture) {
		b.needsPresence()
		waited, err := b.store.AwaitAbsence(b.ctx, b.term("n1"))
		b.NoError(err)
		b.False(waited)
	}},
	{"AwaitAbsenceReturnsWhenThePresenceEnds", func(b *fixture) {
		b.needsPresence()
		one, two := b.term("presence 1"), b.term("presence 2")
		end := b.hold(one)
		b.free(two, "another term")
		b.free(xxladapter.Term{Node: one.Node, Number: one.Number + 100}, "another term of the node")
		type result struct {
			waited bool
			err    error
		}
		awaited := make(chan result, 1)
		go func() { // the case waits for its result
			waited, err := b.store.AwaitAbsence(b.ctx, one)
			awaited <- result{waited, err}
		}()
		select {
		case r := <-awaited:
			b.Failf("it did not wait", "%v", r)
		case <-time.After(presenceLook): // in which nothing happens
		}
		end()
		b.Equal(result{true, nil}, <-awaited)
	}},
	{"APresenceCanBeHeldAgain", func(b *fixture) {
		b.needsPresence()
		term := b.term("presence again")
		b.hold(term)()
		b.hold(term)()
		b.free(term, "its holder has ended")
	}},
	{"APresenceNeedsNoLease", func(b *fixture) {
		b.needsPresence()
		b.hold(xxladapter.Term{Node: "presence of nobody", Number: 7})
	}},
	{"ALeaseListsTheOthersThatTakePart", func(b *fixture) {
		n1 := b.lease("n1", leaseLife)
		b.Empty(n1.Others)
		n3, n2 := b.lease("n3", leaseLife), b.lease("n2", leaseLife)
		for range 3 { // a store may cache what earlier renewals have found
			b.Equal([]xxladapter.Term{n3.Term, n2.Term}, b.lease("n1", leaseLife).Others, "by number")
		}
		b.NoError(b.store.Retire(b.ctx, n3.Term, xxladapter.MoveStopped))
		b.Equal([]xxladapter.Term{n2.Term}, b.lease("n1", leaseLife).Others)
		b.resign(n2.Term)
		b.Empty(b.lease("n1", leaseLife).Others)
		n2 = b.lease("n2", leaseLife/2)
		b.Equal([]xxladapter.Term{n2.Term}, b.lease("n1", leaseLife).Others)
		b.clock.Advance(leaseLife / 2)
		b.Empty(b.lease("n1", leaseLife).Others, "it has lapsed")
	}},
}
