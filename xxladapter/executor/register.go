package executor

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// lastBeat is how long a registration may take on after the executor was stopped.
const lastBeat = time.Second

// register tells an admin every BeatInterval that the executor lives, until ctx
// ends. XXL-JOB waits a whole interval after a failure; here the pause begins
// at one second and doubles.
func (e *Executor) register(ctx context.Context, a *admins) {
	if len(a.all) == 0 {
		<-ctx.Done()
		return
	}
	// A beat that is under way when ctx ends may go on for a moment: if it were cut
	// off, an admin could note it after the deregistration that follows.
	callCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	context.AfterFunc(ctx, func() {
		sleep(callCtx, lastBeat)
		cancel()
	})
	pause := newPause(time.Second, e.opts.BeatInterval)
	for failing := false; ctx.Err() == nil; {
		wait := e.opts.BeatInterval
		if err := a.call(callCtx, wire.OpRegistry, sameBody(e.registry())); err != nil {
			wait = pause.next()
			if ctx.Err() == nil && !failing {
				e.opts.Logger.Warn("no admin takes the registration; trying on", "err", err)
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

// deregister tells one admin that the executor leaves. If none listens, its
// registration expires by itself.
func (e *Executor) deregister(a *admins) {
	if len(a.all) == 0 {
		return
	}
	if err := a.call(context.Background(), wire.OpRegistryRemove, sameBody(e.registry())); err != nil {
		e.opts.Logger.Warn("no admin takes the deregistration; it will expire", "err", err)
	}
}

func (e *Executor) registry() wire.Registry {
	return wire.Registry{Group: wire.RegistryGroup, Key: e.opts.AppName, Value: e.addr}
}

// pause is a wait that doubles from a first value to a last one. What it gives
// is shortened by up to a quarter, so that executors do not come all at once.
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

// sleep waits for a while, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
