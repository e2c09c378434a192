package executor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/time/rate"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Limits of a batch of callbacks: a batch that an admin cannot accept would fail forever. XXL-JOB
// sends at most 50 since 3.4.1, and before that everything it has.
const (
	maxBatch      = 256
	maxBatchBytes = 1 << 20

	// Limits of the requests with results: so many a second, unless whole batches wait, and so many
	// at once after a pause. Without them a busy executor sends a request for every one or two
	// results, which costs the scheduler as much as the runs themselves.
	callbackRate  = 200
	callbackBurst = 20

	callbackRetry    = time.Second // first pause after a failure
	callbackRetryMax = 30 * time.Second
	callbackLast     = 5 * time.Second // limit for sending the last results during a stop

	// maxAside limits the jobs that are passed by at a time because a result was refused: an admin
	// that refuses everything gets one request more than that at each attempt.
	maxAside = 8
)

// sender sends results to the admins, one batch after the other. Results of one job are in the
// order in which its runs ended. A result leaves the journal only after an admin has acknowledged
// it, so one may arrive twice but none is lost.
type sender struct {
	journal *journal
	admins  *admins
	opts    *Options
	ctx     context.Context // ends when even the last attempt has to end
	cancel  context.CancelFunc
	ending  chan struct{} // closed: send what is left and end
	ended   chan struct{} // closed when run has returned
}

func newSender(j *journal, a *admins, o *Options) *sender {
	ctx, cancel := context.WithCancel(context.Background())
	return &sender{journal: j, admins: a, opts: o, ctx: ctx, cancel: cancel,
		ending: make(chan struct{}), ended: make(chan struct{})}
}

// stop makes run send what is left, for at most callbackLast, and waits for it.
func (s *sender) stop() {
	close(s.ending)
	last := time.AfterFunc(callbackLast, s.cancel)
	defer last.Stop()
	<-s.ended
}

func (s *sender) run() {
	defer close(s.ended)
	defer s.cancel()
	if len(s.admins.all) == 0 {
		<-s.ending
		return
	}
	pause := newPause(callbackRetry, callbackRetryMax)
	size, failing := maxBatch, false
	pace := rate.NewLimiter(callbackRate, callbackBurst)
	aside := map[int64]bool{} // jobs with a refused result, which are passed by until again fires
	again := time.NewTimer(0)
	defer again.Stop()
	for {
		select {
		case <-again.C:
			clear(aside)
		default:
		}
		batch := bounded(s.journal.oldest(size, aside), maxBatchBytes)
		if len(batch) == 0 {
			select {
			case <-s.journal.ready:
			case <-again.C:
				clear(aside)
			case <-s.ending:
				if s.journal.waiting() == 0 {
					return
				}
				clear(aside)
			}
			continue
		}
		err := s.send(batch)
		if err == nil {
			s.journal.taken(len(batch))
			if failing && len(aside) == 0 {
				s.opts.Logger.Info("results are accepted again")
				failing = false
			}
			size = maxBatch
			pause.reset()
			if s.journal.waiting() < maxBatch {
				s.pause(pace.Reserve().Delay())
			}
			continue
		}
		if !failing {
			s.opts.Logger.Warn("no admin accepts results; they are kept", "results", s.journal.waiting(), "err", err)
		}
		failing = true
		select {
		case <-s.ending: // a single attempt; the rest waits for the next start
			return
		default:
		}
		// A refused batch may be too large for the admin or the broker, or contain a result that
		// the admin cannot accept. Smaller batches isolate that result at once, and pass it by:
		// only its own job waits for it.
		tooLarge := errors.Is(err, errTooLarge) || errors.Is(err, delivery.ErrTooLarge)
		refused, job := tooLarge || errors.As(err, new(*refusedError)), batch[0].jobID
		switch {
		case refused && len(batch) > 1:
			size = len(batch) / 2
			s.pause(pace.Reserve().Delay())
		case refused && len(aside) < maxAside:
			size = 1
			s.journal.postpone(job)
			aside[job] = true
			again.Reset(pause.next())
		case refused: // the admin seems to accept none
			s.journal.postpone(job)
			s.pause(pause.next())
		default:
			s.pause(pause.next())
		}
	}
}

// pause waits for d, or until a stop begins.
func (s *sender) pause(d time.Duration) {
	if d <= 0 {
		return
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.ending:
	}
}

// bounded returns the beginning of list that fits into limit bytes of JSON, but at least one
// result.
func bounded(list []result, limit int) []result {
	size := 0
	for i, r := range list {
		size += encodedLen(r.msg) + 100
		if size > limit && i > 0 {
			return list[:i]
		}
	}
	return list
}

// encodedLen returns the length of text in JSON, which has up to six bytes for each of text's.
func encodedLen(text string) int {
	if text == "" {
		return 0
	}
	data, _ := json.Marshal(text) // a string can always be encoded
	return len(data)
}

func (s *sender) send(batch []result) error {
	list := callbacksOf(batch)
	return s.admins.call(s.ctx, wire.OpCallback, func(a *admin) ([]byte, error) {
		if a.wrapped.Load() {
			return list.MarshalG4()
		}
		return json.Marshal(list)
	})
}

func callbacksOf(list []result) wire.Callbacks {
	callbacks := make(wire.Callbacks, len(list))
	for i, r := range list {
		callbacks[i] = wire.Callback{
			LogID: wire.Int(r.logID), LogTime: wire.Int(r.logTime),
			HandleCode: wire.Int(r.code), HandleMsg: r.msg,
		}
	}
	return callbacks
}
