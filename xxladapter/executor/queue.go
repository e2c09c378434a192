package executor

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An intake takes runs from a queue and begins those that the schedulers give to this executor. In
// this order, a run
//
//  1. is taken, if there is a place for it;
//  2. is written to the journal, so that it begins here once at most;
//  3. is asked for: the store gives it to the first executor that asks;
//  4. begins, and is removed from the queue.
//
// If an executor stops or dies before the store has given it a run, the run is delivered again,
// here or elsewhere. After a restart the intake asks which of the runs that are open in the journal
// the store has given to it: those have failed.
type intake struct {
	e      *Executor
	l      *live
	admins *admins
	at     xxladapter.QueueAddress
	places chan struct{} // a token for each free place
	taken  chan *delivery.Delivery

	unanswered atomic.Int32 // requests that no scheduler has answered yet, after a first attempt

	mu      sync.Mutex     // guards the field below
	pending map[int64]bool // log ids that were asked for and have no answer
}

const (
	// acceptBatch limits the runs of one request to the schedulers.
	acceptBatch = 256
	// acceptAtOnce is how many such requests are in flight.
	acceptAtOnce = 4
)

func newIntake(e *Executor, l *live, a *admins, at xxladapter.QueueAddress) *intake {
	in := &intake{
		e: e, l: l, admins: a, at: at, pending: map[int64]bool{},
		places: make(chan struct{}, e.opts.QueuePlaces), taken: make(chan *delivery.Delivery, e.opts.QueuePlaces),
	}
	in.free(e.opts.QueuePlaces)
	l.jobs.ended = func() { in.free(1) }
	return in
}

// run takes runs until ctx ends. Then it gives back those that it has not asked for.
func (in *intake) run(ctx context.Context) {
	if !in.askForUnfinished(ctx) {
		return
	}
	var feeding, accepting sync.WaitGroup
	for _, of := range []xxladapter.QueueAddress{{App: in.at.App}, in.at} {
		feeding.Go(func() { in.feed(ctx, of) })
	}
	for range acceptAtOnce {
		accepting.Go(func() { in.acceptTaken(ctx) })
	}
	feeding.Wait()
	accepting.Wait()
	for {
		select {
		case d := <-in.taken:
			d.Return()
		default:
			return
		}
	}
}

// free gives n places back. It never waits, because each place was reserved.
func (in *intake) free(n int) {
	for range n {
		in.places <- struct{}{}
	}
}

// reserve waits for a place, and reserves up to half of the others too: the rest is for the other
// address. It returns 0 if ctx ends.
func (in *intake) reserve(ctx context.Context) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case <-in.places:
	}
	for n = 1; n < min(acceptBatch, 1+len(in.places)/2); n++ {
		select {
		case <-in.places:
		default:
			return n
		}
	}
	return n
}

// feed takes the runs of one address until ctx ends.
func (in *intake) feed(ctx context.Context, of xxladapter.QueueAddress) {
	feed := in.l.queue.Feed(of, in.prepare)
	pause := newPause(time.Second, 10*time.Second)
	for failing := false; ctx.Err() == nil; {
		if in.unanswered.Load() > 0 {
			// What is taken now would wait too, and would be delivered to others after a restart.
			sleep(ctx, askPause)
			continue
		}
		n := in.reserve(ctx)
		left := n
		err := error(nil)
		if n > 0 {
			err = feed.Take(ctx, n, func(d *delivery.Delivery) {
				left--
				in.taken <- d
			})
		}
		in.free(left)
		if err == nil {
			if failing {
				in.e.opts.Logger.Info("runs come from the queue again", "queue", in.l.queue.Shown())
			}
			failing = false
			pause.reset()
			continue
		}
		if ctx.Err() == nil && !failing {
			in.e.opts.Logger.Warn("no runs come from the queue", "err", err)
		}
		failing = true
		sleep(ctx, pause.next())
	}
}

// acceptTaken asks for the runs that were taken until ctx ends. Those that wait share a request.
func (in *intake) acceptTaken(ctx context.Context) {
	for {
		var list []*delivery.Delivery
		select {
		case <-ctx.Done():
			return
		case d := <-in.taken:
			if ctx.Err() != nil { // both were ready
				d.Return()
				return
			}
			list = append(list, d)
		}
		for more := true; more && len(list) < acceptBatch; {
			select {
			case d := <-in.taken:
				list = append(list, d)
			default:
				more = false
			}
		}
		in.accept(ctx, list)
	}
}

// An offer is a run that was taken and written to the journal.
type offer struct {
	delivery *delivery.Delivery
	req      *wire.RunRequest
	batch    *batch
	worn     bool // it was delivered too often, and does not begin
}

// accept does steps 2 to 4 with a list of runs.
func (in *intake) accept(ctx context.Context, list []*delivery.Delivery) {
	var offers []offer
	for _, d := range list {
		if o, ok := in.note(d); ok {
			offers = append(offers, o)
		} else {
			in.free(1)
		}
	}
	var ids []int64
	kept := offers[:0]
	for _, o := range offers {
		if err := o.batch.wait(); err != nil && !o.worn { // the journal has logged it
			o.delivery.Later()
			in.forget(o.req)
			in.free(1)
			continue
		}
		kept, ids = append(kept, o), append(ids, int64(o.req.LogID))
	}
	if len(kept) == 0 {
		return
	}
	if ctx.Err() != nil { // stopped meanwhile: none of them would be asked for
		for _, o := range kept {
			in.l.journal.putBack(int64(o.req.LogID))
			o.delivery.Return()
			in.forget(o.req)
			in.free(1)
		}
		return
	}
	may, ok := in.askFor(ctx, kept, ids)
	for i, o := range kept {
		switch {
		case !ok: // nobody knows; the next start asks again
			in.free(1)
		case may[i] && o.worn:
			in.fail(o)
			in.free(1)
		case may[i]:
			in.l.jobs.begin(o.req, o.batch, in.resolve(o))
			o.delivery.Done()
		default: // another executor has it, or it was given up
			in.l.journal.done(int64(o.req.LogID))
			o.delivery.Done()
			in.free(1)
		}
		in.forget(o.req)
	}
}

// note writes a run to the journal. It returns false for a run that is not to begin, or that is
// being asked for already.
func (in *intake) note(d *delivery.Delivery) (offer, bool) {
	req := new(wire.RunRequest)
	err := wire.Decode(d.Body, req)
	if err == nil {
		err = checkRun(req)
	}
	if msg := in.e.checkHeaders(wire.PathRun, d.Header); err == nil && msg != "" {
		err = errors.New(msg)
	}
	if err != nil {
		in.e.opts.Logger.Error("run from the queue dropped", "run", int64(req.LogID), "err", err)
		d.Done()
		return offer{}, false
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	logID := int64(req.LogID)
	if in.pending[logID] {
		return offer{}, false
	}
	b, err := in.l.journal.accept(logID, int64(req.JobID), int64(req.LogTime), time.Now())
	switch {
	case err == nil:
		in.pending[logID] = true
		return offer{d, req, b, d.Number > delivery.Max}, true
	case errors.Is(err, errSeen): // its result is, or will be, in the journal
		d.Done()
	default:
		d.Later()
	}
	return offer{}, false
}

// fail reports that a run failed because it was delivered too often. A run that another executor
// has is not given to this one, and so does not fail.
func (in *intake) fail(o offer) {
	in.l.journal.finish(result{
		logID: int64(o.req.LogID), jobID: int64(o.req.JobID), logTime: int64(o.req.LogTime), code: wire.CodeFail,
		msg: fmt.Sprintf("run was delivered %d times, and no executor has begun it", o.delivery.Number-1),
	})
	if o.batch.wait() != nil { // a restart would forget it
		o.delivery.Later()
		return
	}
	o.delivery.Done()
}

func (in *intake) forget(req *wire.RunRequest) {
	in.mu.Lock()
	defer in.mu.Unlock()
	delete(in.pending, int64(req.LogID))
}

// resolve returns what runs an offer, or why nothing does.
func (in *intake) resolve(o offer) resolved {
	h, glue, refused := in.e.resolve(in.l, o.req, func() []byte { return o.delivery.Body })
	o.req.GlueSource = "" // a waiting run needs no copy
	if refused != nil {
		return resolved{refused: refused.Msg}
	}
	return resolved{handler: h, glue: glue}
}

// prepare asks a scheduler to create what a feed needs and the broker lacks.
func (in *intake) prepare(ctx context.Context) error {
	return in.admins.call(ctx, wire.OpFeed, sameBody(wire.Feed{Address: in.e.addr}))
}
