package streams

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// countedPending limits how many delivered runs of one address are looked at for those that were
// delivered more than once.
const countedPending = 10_000

// States implements [broker.Broker].
func (c *conn) States(ctx context.Context) (map[string]xxladapter.QueueState, error) {
	return c.states(ctx, func(string) bool { return true })
}

// State implements [broker.Broker].
func (c *conn) State(ctx context.Context, app string) (xxladapter.QueueState, error) {
	states, err := c.states(ctx, func(of string) bool { return of == app })
	return states[app], err
}

// states returns the states of the apps that are asked about and have a run.
func (c *conn) states(ctx context.Context, asked func(app string) bool) (map[string]xxladapter.QueueState, error) {
	streams, err := c.SMembers(ctx, c.names.queues()).Result()
	if err != nil {
		return nil, err
	}
	type queue struct {
		app, stream string
		exists, len *redis.IntCmd
		first       *redis.XMessageSliceCmd
		pending     *redis.XPendingExtCmd
	}
	var all, filled []*queue
	if _, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, stream := range streams {
			if app, ok := c.names.ranBy(stream); ok && asked(app) {
				all = append(
					all, &queue{app: app, stream: stream, exists: p.Exists(ctx, stream), len: p.XLen(ctx, stream)},
				)
			}
		}
		return nil
	}); err != nil {
		return nil, err
	}
	gone := []string{c.names.queues()}
	for _, q := range all {
		switch {
		case q.exists.Val() == 0:
			gone = append(gone, q.stream)
		case q.len.Val() > 0:
			filled = append(filled, q)
		}
	}
	if len(gone) > 1 {
		if err := pruneScript.Run(ctx, c, gone).Err(); err != nil {
			return nil, err
		}
	}
	states := map[string]xxladapter.QueueState{}
	if len(filled) == 0 {
		return states, nil
	}
	if _, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
		for _, q := range filled {
			q.first = p.XRangeN(ctx, q.stream, "-", "+", 1)
			q.pending = p.XPendingExt(ctx, &redis.XPendingExtArgs{
				Stream: q.stream, Group: group, Start: "-", End: "+", Count: countedPending,
			})
		}
		return nil
	}); err != nil && !isMissing(err) {
		return nil, err
	}
	for _, q := range filled {
		s := states[q.app]
		s.Runs += q.len.Val()
		for _, m := range q.first.Val() {
			if at := publishedAt(m.ID); s.Oldest.IsZero() || at.Before(s.Oldest) {
				s.Oldest = at
			}
		}
		for _, one := range q.pending.Val() {
			if one.RetryCount > 1 {
				s.Redelivered++
			}
		}
		states[q.app] = s
	}
	return states, nil
}

// isMissing reports whether a stream or its group is gone, which an operator may have deleted.
func isMissing(err error) bool { return strings.Contains(err.Error(), "NOGROUP") }

// publishedAt returns the time in the id of a run.
func publishedAt(id string) time.Time {
	position, _, _ := strings.Cut(id, "-")
	us, _ := strconv.ParseInt(position, 10, 64) // 0 if somebody else wrote it
	return time.UnixMicro(us)
}
