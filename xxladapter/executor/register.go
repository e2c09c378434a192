package executor

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// lastBeat is how long a registration in flight may continue after the executor was stopped.
const lastBeat = time.Second

// register sends a beat to an admin every BeatInterval, until ctx ends. XXL-JOB waits a whole
// interval after a failure; here the pause starts at one second and doubles.
func (e *Executor) register(ctx context.Context, a *admins) {
	if len(a.all) == 0 {
		<-ctx.Done()
		return
	}
	// A beat in flight when ctx ends may continue for a moment: if it were cut off, an admin could
	// record it after the deregistration that follows.
	callCtx, cancel := outliving(ctx, lastBeat)
	defer cancel()
	pause := newPause(time.Second, e.opts.BeatInterval)
	for failing := false; ctx.Err() == nil; {
		wait := e.opts.BeatInterval
		if err := a.call(callCtx, wire.OpRegistry, sameBody(e.registry())); err != nil {
			wait = pause.next()
			if ctx.Err() == nil && !failing {
				e.opts.Logger.Warn("no admin accepts the registration; retrying", "err", err)
			}
			failing = true
		} else {
			if failing {
				e.opts.Logger.Info("registered again")
			}
			failing = false
			pause.reset()
		}
		sleep(ctx, wait)
	}
}

// deregister tells one admin that the executor leaves. If none can be reached, the registration
// expires by itself.
func (e *Executor) deregister(a *admins) {
	if len(a.all) == 0 {
		return
	}
	if err := a.call(context.Background(), wire.OpRegistryRemove, sameBody(e.registry())); err != nil {
		e.opts.Logger.Warn("no admin accepts the deregistration; the registration will expire", "err", err)
	}
}

func (e *Executor) registry() wire.Registry {
	return wire.Registry{Group: wire.RegistryGroup, Key: e.opts.AppName, Value: e.addr}
}

// pause is a pause that doubles from a first value to a last one. Each value is shortened randomly
// by up to a quarter, so that executors do not call all at once.
type pause struct{ first, last, current time.Duration }

func newPause(first, last time.Duration) pause {
	return pause{min(first, last), last, min(first, last)}
}

func (p *pause) reset() { p.current = p.first }

func (p *pause) next() time.Duration {
	d := p.current
	p.current = min(2*p.current, p.last)
	return d - rand.N(d/4+1)
}

// outliving returns a context that ends d after ctx does, or with done, which the caller calls.
func outliving(ctx context.Context, d time.Duration) (_ context.Context, done func()) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	forget := context.AfterFunc(ctx, func() {
		sleep(longer, d)
		cancel()
	})
	return longer, func() {
		forget()
		cancel()
	}
}

// sleep waits for d, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
