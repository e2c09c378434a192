package storetest

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// sessionLook is how long a case waits to see that a session is held. It is real time, since
// servers wait by their own clocks.
const sessionLook = 200 * time.Millisecond

// hold holds the session of a term until end is called or the case ends, and returns once it is
// held.
func (b *fixture) hold(term xxladapter.Term) (end func()) {
	b.Helper()
	ctx, cancel := context.WithCancel(b.ctx)
	ended := make(chan struct{})
	go func() { // end waits for it
		defer close(ended)
		_ = b.store.HoldSession(ctx, term) // of ctx
	}()
	end = func() { cancel(); <-ended }
	b.Cleanup(end)
	b.Eventually(func() bool { return b.held(term) }, 20*time.Second, time.Millisecond)
	return end
}

// free checks that nobody holds the session of a term. Its limit is long: a slow answer is no sign
// of a holder.
func (b *fixture) free(term xxladapter.Term, why string) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, 20*time.Second)
	defer cancel()
	_, err := b.store.AwaitSession(ctx, term)
	b.NoError(err, why)
}

// held reports whether a call that waits for the end of a term's session waits for sessionLook. A
// server that answers more slowly looks the same: what must not be held is checked by free.
func (b *fixture) held(term xxladapter.Term) bool {
	ctx, cancel := context.WithTimeout(b.ctx, sessionLook)
	defer cancel()
	_, err := b.store.AwaitSession(ctx, term)
	return err != nil
}

// sessions skips the case if the store has no sessions.
func (b *fixture) sessions() {
	if _, err := b.store.AwaitSession(
		b.ctx, xxladapter.Term{Node: "nobody", Number: 1},
	); errors.Is(err, errors.ErrUnsupported) {
		b.ErrorIs(b.store.HoldSession(b.ctx, xxladapter.Term{Node: "nobody", Number: 1}), errors.ErrUnsupported)
		b.Skip("the store has no sessions")
	}
}

var sessionRules = []rule{
	{"ASessionThatNobodyHoldsIsNotWaitedFor", func(b *fixture) {
		b.sessions()
		waited, err := b.store.AwaitSession(b.ctx, b.term("n1"))
		b.NoError(err)
		b.False(waited)
	}},
	{"AwaitSessionReturnsWhenTheSessionEnds", func(b *fixture) {
		b.sessions()
		one, two := b.term("session 1"), b.term("session 2")
		end := b.hold(one)
		b.free(two, "another term")
		b.free(xxladapter.Term{Node: one.Node, Number: one.Number + 100}, "another term of the node")
		type result struct {
			waited bool
			err    error
		}
		awaited := make(chan result, 1)
		go func() { // the case waits for its result
			waited, err := b.store.AwaitSession(b.ctx, one)
			awaited <- result{waited, err}
		}()
		select {
		case r := <-awaited:
			b.Failf("it did not wait", "%v", r)
		case <-time.After(sessionLook): // in which nothing happens
		}
		end()
		b.Equal(result{true, nil}, <-awaited)
	}},
	{"ASessionCanBeHeldAgain", func(b *fixture) {
		b.sessions()
		term := b.term("session again")
		b.hold(term)()
		b.hold(term)()
		b.free(term, "its holder has ended")
	}},
	{"ASessionNeedsNoLease", func(b *fixture) {
		b.sessions()
		b.hold(xxladapter.Term{Node: "session of nobody", Number: 7})
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
