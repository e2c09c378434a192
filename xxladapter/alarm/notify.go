package alarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// messagesAtOnce limits the messages in flight. Further ones wait in the store, unclaimed.
	messagesAtOnce = 8
	// notifyLimit limits the time from the claim of a message until its channels are done.
	notifyLimit = 90 * time.Second
	// sendLimit limits one channel's work on one message.
	sendLimit = 40 * time.Second
	// downLimit is sendLimit for a channel that reached nobody the last time, so that it delays the
	// others less. It leaves time for a whole attempt: a channel that is slow would never recover.
	downLimit = attemptLimit
	// storeLimit limits the storing of an outcome.
	storeLimit = 10 * time.Second
)

// notify sends messages with the context sending, some concurrently, and returns when all of them
// are settled or given up. Once ctx has ended it begins none: sending ends soon after, and would
// cut it off. What is left is unclaimed, so another node or the next start sends it at once.
func (m *Monitor) notify(ctx, sending context.Context, messages [][]subject) {
	var all errgroup.Group
	all.SetLimit(messagesAtOnce)
	for _, subjects := range messages {
		all.Go(func() error {
			if ctx.Err() == nil {
				m.notifyOne(sending, subjects)
			}
			return nil
		})
	}
	_ = all.Wait() // no task returns an error
}

// notifyOne claims what a message is about, sends it and settles the claims. The store records the
// outcome; if anything fails here, the claims age until a later poll finds them.
func (m *Monitor) notifyOne(ctx context.Context, subjects []subject) {
	ctx, cancel := context.WithTimeout(ctx, notifyLimit)
	defer cancel()
	claims, err := m.claim(ctx, subjects)
	if err != nil {
		// Claims that were made before the error are this node's, and are sent.
		m.logger.Error("claim of alarms failed", "err", err)
	}
	for _, kind := range []Kind{Failed, Recovered} {
		about := slices.DeleteFunc(
			slices.Clone(claims), func(c xxladapter.AlarmClaim) bool { return c.Recovered != (kind == Recovered) },
		)
		if len(about) == 0 {
			continue
		}
		a, err := m.describe(ctx, kind, subjects, about)
		if err == nil {
			err = m.checkAge(ctx, about)
		}
		if err != nil {
			m.logger.Error("alarm not sent, will be tried again", "err", err)
			return
		}
		status, done := m.deliver(ctx, a)
		if !done {
			m.logger.Warn(
				"alarm not sent, no channel accepted it, will be tried again", "alarm", a.ID, "title", a.Title(),
			)
			continue
		}
		if err := m.settle(context.WithoutCancel(ctx), about, status); err != nil {
			m.logger.Error("outcome of an alarm not stored, will be tried again", "alarm", a.ID, "err", err)
			m.unsettled.add(about, status)
		}
	}
}

// checkAge returns an error if a claim is older than notifyLimit by the store's clock. The context
// of a message counts by the monotonic clock, which stands still while this machine is suspended.
func (m *Monitor) checkAge(ctx context.Context, claims []xxladapter.AlarmClaim) error {
	now, err := m.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	for _, c := range claims {
		if age := now.Sub(c.At); age > notifyLimit {
			return fmt.Errorf("claim is %v old, must be at most %v", age, notifyLimit)
		}
	}
	return nil
}

// claim makes new subjects' runs and abandoned claims this node's own.
func (m *Monitor) claim(ctx context.Context, subjects []subject) ([]xxladapter.AlarmClaim, error) {
	var decisions []xxladapter.AlarmDecision
	var claims, stale []xxladapter.AlarmClaim
	for _, s := range subjects {
		decisions = append(decisions, s.decisions...)
		stale = append(stale, s.claims...)
		if len(s.decisions) > 0 {
			m.raised.Store(s.job.ID, nil)
		}
	}
	for part := range slices.Chunk(stale, maxRows) {
		renewed, err := m.opts.Store.RenewAlarms(ctx, m.opts.Node, part)
		if err != nil {
			return claims, err
		}
		claims = append(claims, renewed...)
	}
	decided, err := m.decide(ctx, decisions)
	return append(claims, decided...), err
}

// decide stores decisions, about maxRows rows in each transaction.
func (m *Monitor) decide(ctx context.Context, decisions []xxladapter.AlarmDecision) ([]xxladapter.AlarmClaim, error) {
	decisions = slices.Clone(decisions)
	slices.SortStableFunc(decisions, byJobID)
	var claims []xxladapter.AlarmClaim
	for len(decisions) > 0 {
		n, rows := 0, 0
		for n < len(decisions) && (n == 0 || rows < maxRows) {
			rows += 1 + len(decisions[n].Quiet) + len(decisions[n].Alarm)
			n++
		}
		part, err := m.opts.Store.DecideAlarms(ctx, m.opts.Node, decisions[:n])
		if err != nil {
			return claims, err
		}
		claims, decisions = append(claims, part...), decisions[n:]
	}
	return claims, nil
}

// deliver hands an alarm to all channels at once. done is false if it failed and reached nobody, so
// that it should be tried again later.
func (m *Monitor) deliver(ctx context.Context, a *Alarm) (status int, done bool) {
	results, reached := make([]string, len(m.opts.Channels)), make([]bool, len(m.opts.Channels))
	var all sync.WaitGroup
	for i, channel := range m.opts.Channels {
		all.Go(func() {
			limited, cancel := context.WithTimeout(ctx, m.down.limit(i))
			defer cancel()
			start := time.Now()
			err := recovered(
				m.logger, "alarm channel panicked", channel, func() error { return channel.Send(limited, a) },
			)
			reached[i] = err == nil || errors.Is(err, ErrPartly)
			switch {
			case err == nil:
				results[i] = ResultSent
				m.logger.Info(
					"alarm sent",
					"channel", channel.Name(), "alarm", a.ID, "title", a.Title(), "took", time.Since(start),
				)
			case errors.Is(err, ErrNobody):
				results[i] = ResultSkipped
			default:
				results[i] = ResultFailed
				m.logger.Error("alarm failed", "channel", channel.Name(), "alarm", a.ID, "title", a.Title(), "err", err)
			}
			m.down.note(i, results[i] == ResultFailed && !reached[i])
			// The result stands, whatever the callback does.
			_ = recovered(m.logger, "Options.OnAlarm panicked", channel, func() error {
				m.opts.OnAlarm(channel.Name(), results[i])
				return nil
			})
		})
	}
	all.Wait()
	sent, failed := slices.Contains(reached, true), slices.Contains(results, ResultFailed)
	switch {
	case sent && failed:
		return xxladapter.AlarmFailed, true
	case sent:
		return xxladapter.AlarmSent, true
	case failed:
		return 0, false
	}
	return xxladapter.AlarmNotNeeded, true
}

func (m *Monitor) settle(ctx context.Context, claims []xxladapter.AlarmClaim, status int) error {
	ctx, cancel := context.WithTimeout(ctx, storeLimit)
	defer cancel()
	for part := range slices.Chunk(claims, maxRows) {
		if err := m.opts.Store.SettleAlarms(ctx, part, status); err != nil {
			return err
		}
	}
	return nil
}

// downs records which channels failed the last time and reached nobody.
type downs struct {
	mu   sync.Mutex // guards the fields below
	down []bool
}

func newDowns(n int) *downs { return &downs{down: make([]bool, n)} }

func (d *downs) limit(i int) time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down[i] {
		return downLimit
	}
	return sendLimit
}

func (d *downs) note(i int, down bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.down[i] = down
}

// unsettled holds outcomes that the store did not accept, so that this process does not send again
// what it has sent.
type unsettled struct {
	mu   sync.Mutex // guards the fields below
	left []outcome
}

type outcome struct {
	claims []xxladapter.AlarmClaim
	status int
}

func (u *unsettled) add(claims []xxladapter.AlarmClaim, status int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.left = append(u.left, outcome{claims, status})
}

// settle stores the outcomes. It holds the lock while it calls the store: add may wait, and no
// outcome is stored twice. It returns the error of the first outcome that the store refuses again.
func (u *unsettled) settle(ctx context.Context, store Store) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	for len(u.left) > 0 {
		if err := store.SettleAlarms(ctx, u.left[0].claims, u.left[0].status); err != nil {
			return err
		}
		u.left = u.left[1:]
	}
	return nil
}
