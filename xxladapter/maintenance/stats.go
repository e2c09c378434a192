package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// statPace is the pause between two counts while there are runs to count, and statRest the
	// pause while there are none, because an idle node makes few statements.
	statPace = 10 * time.Second
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
	Store  StatStore
	Logger *slog.Logger
}

// Run counts until ctx ends. Errors of the store are logged, and the next turn tries again. After a
// full chunk it pauses for as long as the chunk took, so that a backlog of millions of runs leaves
// half of the time to others.
func (s *Stats) Run(ctx context.Context) error {
	pause := time.NewTimer(statPace)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-pause.C:
		}
		begin := time.Now()
		left, err := s.Store.FoldStats(ctx, statChunk)
		switch {
		case err != nil:
			if ctx.Err() == nil {
				s.Logger.Error("counting of runs failed", "err", err)
			}
			pause.Reset(statPace)
		case left == xxladapter.MoreStatWork:
			pause.Reset(time.Since(begin))
		case left == xxladapter.LaterStatWork:
			pause.Reset(statPace)
		default:
			pause.Reset(statRest)
		}
	}
}
