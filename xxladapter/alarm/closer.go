package alarm

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// closePace is the period of the passes of a [Closer]. Nothing waits for them.
const closePace = 10 * time.Minute

// A Closer takes the place of a [Monitor] on a node without channels. It closes the alarms of runs
// that failed more than a day ago, so that their rows need not be kept for them. Until then they
// stay open for another scheduler on the same store that has channels, such as a Java admin.
//
// All fields must be set.
type Closer struct {
	Store interface {
		xxladapter.Clock
		xxladapter.AlarmStore
	}
	// Node is the name of this process, as for a Monitor.
	Node   string
	Logger *slog.Logger
}

// Run makes one pass after another until ctx ends. Errors of the store are logged, and the next
// pass tries again.
func (c *Closer) Run(ctx context.Context) error {
	ticker := time.NewTicker(closePace)
	defer ticker.Stop()
	for {
		if err := c.poll(ctx); err != nil && ctx.Err() == nil {
			c.Logger.Error("closing of old alarms failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (c *Closer) poll(ctx context.Context) error {
	now, err := c.Store.Now(ctx)
	if err != nil {
		return err
	}
	for after := int64(0); ; {
		page, err := c.Store.FailedRuns(ctx, after, maxRows)
		if err != nil {
			return err
		}
		byJob := map[int64][]int64{}
		for _, run := range page {
			after = run.LogID
			if now.Sub(run.At) > maxAge {
				byJob[run.JobID] = append(byJob[run.JobID], run.LogID)
			}
		}
		states, err := c.Store.AlarmStates(ctx, slices.Collect(maps.Keys(byJob)))
		if err != nil {
			return err
		}
		var decisions []xxladapter.AlarmDecision // by job id, as the states are
		for _, state := range states {
			if ids := byJob[state.JobID]; len(ids) > 0 { // others are raised, and have no old failure here
				decisions = append(decisions, xxladapter.AlarmDecision{Before: state, After: state, Quiet: ids})
			}
		}
		if len(decisions) > 0 {
			if _, err := c.Store.DecideAlarms(ctx, c.Node, decisions); err != nil {
				return err
			}
		}
		if len(page) < maxRows {
			break
		}
	}
	// Claims from the time when the node had channels.
	for {
		claims, err := c.Store.StaleAlarms(ctx, maxAge, maxRows)
		if err != nil || len(claims) == 0 {
			return err
		}
		if err := c.Store.SettleAlarms(ctx, claims, xxladapter.AlarmFailed); err != nil {
			return err
		}
	}
}

// byJobID compares decisions for the order in which every transaction locks the jobs' states, so
// that no two of them deadlock.
func byJobID(a, b xxladapter.AlarmDecision) int { return cmp.Compare(a.Before.JobID, b.Before.JobID) }
