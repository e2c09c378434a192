package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// statPace is the pause between two counts while there are runs to count.
	statPace = 10 * time.Second
	// statRest is the pause while there is nothing to count and this node fires nothing, so that an
	// idle node sends few statements. The last runs of a dead node may wait as long.
	statRest = 2 * time.Minute
	// statChunk is the number of runs that one transaction counts. In a database with a single
	// writer, all other writes wait for it.
	statChunk = 500
)

// A StatStore is the part of [xxladapter.Store] that [Stats] needs.
type StatStore interface {
	FoldStats(ctx context.Context, limit int) (xxladapter.StatWork, error)
}

// Stats counts runs for the statistics. Several nodes may do so at the same time.
type Stats struct {
	Store StatStore
	// Fired returns how many times this node has fired so far; a change ends a rest. Nil leaves
	// every rest at its length.
	Fired  func() int64
	Logger *slog.Logger
}

// Run counts until ctx ends. Errors of the store are logged, and the next turn tries again. After a
// full chunk it pauses for as long as the chunk took, so that a backlog of millions of runs leaves
// half of the time to others.
func (s *Stats) Run(ctx context.Context) error {
	if err := check(&s.Logger, need{"Stats.Store", s.Store == nil}); err != nil {
		return err
	}
	pause := time.NewTimer(statPace)
	defer pause.Stop()
	var (
		resting time.Time // since when there is nothing to count; zero while there is
		fired   int64     // what Fired returned then
	)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		if !resting.IsZero() && time.Since(resting) < statRest && s.fired() == fired {
			pause.Reset(statPace)
			continue
		}
		resting, fired = time.Time{}, s.fired()
		begin := time.Now()
		left, err := s.Store.FoldStats(ctx, statChunk)
		next := statPace
		switch {
		case err != nil:
			if ctx.Err() == nil {
				s.Logger.Error("counting of runs failed", "err", err)
			}
		case left == xxladapter.MoreStatWork:
			next = time.Since(begin)
		case left == xxladapter.NoStatWork:
			resting = time.Now()
		}
		pause.Reset(next)
	}
}

func (s *Stats) fired() int64 {
	if s.Fired == nil {
		return 0
	}
	return s.Fired()
}
