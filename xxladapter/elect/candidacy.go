package elect

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// fitPace is how often a candidacy checks whether its node may lead at all.
	fitPace = 500 * time.Millisecond

	// firstPause and lastPause are the shortest and the longest pause after a campaign that failed.
	// Each pause is twice as long as the one before.
	firstPause = 250 * time.Millisecond
	lastPause  = 2 * time.Second
)

// A Candidacy campaigns on behalf of one node, again after each leadership. Its methods may be
// called from any goroutine.
type Candidacy struct {
	elector  Elector
	fit      func() bool
	changed  func()
	logger   *slog.Logger
	election atomic.Int64
	away     bool // the last campaign failed; used only by Run
}

// NewCandidacy returns a candidacy that waits for its election once Run is called. fit reports
// whether the node could plan jobs if it were elected; a node that cannot plan jobs lets another
// one lead. changed is called after each change of Election, and must not block. No argument may be
// nil.
func NewCandidacy(e Elector, fit func() bool, changed func(), logger *slog.Logger) *Candidacy {
	c := &Candidacy{elector: e, fit: fit, changed: changed, logger: logger}
	c.election.Store(int64(xxladapter.ElectionWaits))
	return c
}

// Election returns what the elector last said of the node, or [xxladapter.ElectionAway] if the last
// campaign failed.
func (c *Candidacy) Election() xxladapter.Election { return xxladapter.Election(c.election.Load()) }

// String returns the address of the elector without secrets.
func (c *Candidacy) String() string { return c.elector.String() }

func (c *Candidacy) set(e xxladapter.Election) {
	if c.election.Swap(int64(e)) != int64(e) {
		c.changed()
	}
}

// Run campaigns until ctx ends, and then resigns. It may be called once.
func (c *Candidacy) Run(ctx context.Context) error {
	pause := firstPause
	for ctx.Err() == nil {
		if !c.fit() {
			c.sleep(ctx, fitPace)
			continue
		}
		leadership, err := c.campaign(ctx)
		if err != nil {
			c.sleep(ctx, pause)
			pause = min(2*pause, lastPause)
			continue
		}
		pause = firstPause
		if leadership != nil {
			c.lead(ctx, leadership)
		}
	}
	c.set(xxladapter.ElectionWaits)
	return nil
}

// campaign returns a leadership, or nil if the campaign was given up because ctx has ended or the
// node is no longer fit. The error says that the elector does not answer.
func (c *Candidacy) campaign(ctx context.Context) (Leadership, error) {
	attempt, giveUp := context.WithCancel(ctx)
	defer giveUp()
	type outcome struct {
		leadership Leadership
		err        error
	}
	ended, stands := make(chan outcome, 1), make(chan struct{}, 1)
	go func() { // campaign waits for it
		leadership, err := c.elector.Campaign(attempt, func() { stands <- struct{}{} })
		ended <- outcome{leadership, err}
	}()
	ticker := time.NewTicker(fitPace)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if !c.fit() {
				giveUp()
			}
		case <-stands:
			c.answers(xxladapter.ElectionWaits)
		case o := <-ended:
			switch {
			case o.err == nil:
				return o.leadership, nil
			case attempt.Err() != nil:
				if !c.away { // otherwise nothing was heard since
					c.set(xxladapter.ElectionWaits)
				}
				return nil, nil
			}
			if !c.away {
				c.logger.Warn(
					"elector does not answer, the store decides alone who leads", "elector", c.String(), "err", o.err,
				)
			}
			c.away = true
			c.set(xxladapter.ElectionAway)
			return nil, o.err
		}
	}
}

// answers notes that the elector can be reached, and what it says.
func (c *Candidacy) answers(e xxladapter.Election) {
	if c.away {
		c.logger.Info("elector answers again", "elector", c.String())
	}
	c.away = false
	c.set(e)
}

// lead waits until the leadership has ended, or resigns it when ctx has ended or the node is no
// longer fit.
func (c *Candidacy) lead(ctx context.Context, l Leadership) {
	c.answers(xxladapter.Election(l.Number()))
	c.logger.Info("elected, this node may lead", "elector", c.String(), "number", l.Number())
	ticker := time.NewTicker(fitPace)
	defer ticker.Stop()
	for ctx.Err() == nil && c.fit() {
		select {
		case <-ctx.Done():
		case <-ticker.C:
		case <-l.Done():
			c.logger.Warn(
				"election lost, the session with the elector has ended", "elector", c.String(), "number", l.Number(),
			)
			// The coordinator cannot be asked, or has elected another node. The next campaign tells
			// which.
			c.set(xxladapter.ElectionWaits)
			return
		}
	}
	limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), ContactLimit)
	defer cancel()
	if err := l.Resign(limit); err != nil {
		c.logger.Warn(
			"leadership not resigned, it ends by itself", "elector", c.String(), "number", l.Number(), "err", err,
		)
	}
	c.set(xxladapter.ElectionWaits)
}

func (c *Candidacy) sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
