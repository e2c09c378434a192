//go:build unix

package redisstore

import (
	"context"
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestALogBeginsAfterTheLastAnswerOfTheFormerPrimary checks that a log begins anew on a promoted
// server only when no process believes the former primary any longer. A process asked the sentinels
// just before they named the promoted server, and it gets no other answer.
func TestALogBeginsAfterTheLastAnswerOfTheFormerPrimary(t *testing.T) {
	t.Parallel()
	id := rand.Text()
	former, promoted := testserver.StartRedis(t), testserver.StartRedis(t)
	knowing := func(primary *testserver.Server, epoch string, asked time.Time) *server {
		opts, err := redis.ParseURL(primary.URL("0"))
		require.NoError(t, err)
		a, err := parse("redis+sentinel://" + strings.Repeat("127.0.0.1,", 2) + "127.0.0.1/main/0")
		require.NoError(t, err)
		votes := make([]vote, len(a.hosts))
		for i := range votes[:2] {
			votes[i] = vote{promotion: promotion{address: opts.Addr, epoch: epoch}, asked: asked}
		}
		at := sentinelsAt(a, false)
		at.votes = votes
		s := newServer(at, id, false)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	earlier := serverOf(t, former.URL("0"), id) // before the promotion, the log was begun
	held, err := earlier.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, earlier.Begin(t.Context(), sqlstore.LogState{Pen: held.Pen, Generation: 1}))

	now := time.Now()
	unaware := knowing(former, "0", now)
	aware := knowing(promoted, "1", now.Add(time.Hour)) // its sentinels answer again all the time
	unaware.holder = earlier.holder
	held, err = unaware.Look(t.Context())
	require.NoError(t, err)
	require.True(t, held.Held)

	type ending struct {
		last time.Time // when the last confirmed append began
		err  error
	}
	ended := make(chan ending, 1)
	go func() {
		var e ending
		for batch, state := int64(1), held; ; batch++ {
			asked := time.Now()
			if state, e.err = unaware.Append(context.WithoutCancel(t.Context()), state, batch, [][]byte{[]byte("one")}); e.err != nil {
				ended <- e
				return
			}
			e.last = asked
		}
	}()
	taken, err := aware.Take(t.Context())
	require.NoError(t, err)
	require.NoError(t, aware.Begin(t.Context(), sqlstore.LogState{Pen: taken.Pen, Generation: 2}))
	begun := time.Now()
	e := <-ended
	// Each answer has an age of its own, so one may count a moment longer.
	require.Regexp(t, "[01] of 3 sentinels agree on it, must be 2 at least", e.err.Error())
	require.Greater(t, e.last.Sub(now), trust/2, "the former primary is believed for a while")
	require.Greater(t, begun.Sub(e.last), time.Duration(0), "it confirmed an append after the log had begun anew")
}
