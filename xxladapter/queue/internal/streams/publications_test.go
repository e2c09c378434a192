//go:build unix

package streams

import (
	"context"
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// TestPublicationsThatShareAPipeline checks that each of them gets its own answer, even if Redis
// does not know the script, if the queue is full for some of them, and if a caller has left.
func TestPublicationsThatShareAPipeline(t *testing.T) {
	t.Parallel()
	const all, room = 20, 12
	s := connected(t, ownURL(t), "", "s", time.Hour)
	require.NoError(t, s.ScriptFlush(t.Context()).Err())
	require.NoError(t, s.HSet(t.Context(), s.names.limits(), "orders", room).Err())
	q := &s.publications
	q.sending = true // nothing is sent yet
	add := func(ctx context.Context, to xxladapter.QueueAddress, key string) *publication {
		p := &publication{ctx: ctx, to: to, key: key, run: []byte("run"), done: make(chan struct{})}
		require.NoError(t, q.add(p))
		return p
	}
	var list []*publication
	for i := range all {
		list = append(list, add(t.Context(), anyOf, fmt.Sprint(i)))
	}
	again := add(t.Context(), anyOf, "0")
	ctx, leave := context.WithCancel(t.Context())
	left := add(ctx, oneOf, "left")
	leave()
	q.senders.Go(q.send)
	full := 0
	for i, p := range list {
		<-p.done
		require.NoError(t, p.err)
		if p.text == "-1" {
			full++
			continue
		}
		position, err := strconv.ParseUint(p.text, 10, 64)
		require.NoError(t, err)
		held, err := s.Holds(t.Context(), anyOf, position, fmt.Sprint(i))
		require.NoError(t, err)
		require.True(t, held, i)
	}
	require.Equal(t, all-room, full)
	<-again.done
	require.Equal(t, list[0].text, again.text, "the run is there already")
	<-left.done
	require.ErrorIs(t, left.err, context.Canceled)
	require.Zero(t, s.Exists(t.Context(), s.names.run(oneOf)).Val(), "nobody waits for it")
}

func TestPipelinesAreBounded(t *testing.T) {
	t.Parallel()
	q := &publications{}
	for range 2*publishBatch + 1 {
		q.waiting = append(q.waiting, &publication{})
	}
	for _, size := range []int{publishBytes + 1, publishBytes / 2, publishBytes / 2, 1} {
		q.waiting = append(q.waiting, &publication{run: make([]byte, size)})
	}
	var sizes []int
	for batch := q.next(); batch != nil; batch = q.next() {
		sizes = append(sizes, len(batch))
	}
	require.Equal(t, []int{publishBatch, publishBatch, 1, 1, 2, 1}, sizes)
	require.LessOrEqual(t, maxRun, publishBytes)
}

func TestAClosedConnectionPublishesNothing(t *testing.T) {
	t.Parallel()
	s := connected(t, ownURL(t), "", "s", time.Hour)
	s.Close()
	_, err := s.Publish(t.Context(), anyOf, "1", nil, nil)
	require.ErrorIs(t, err, errClosed)
	require.NotErrorIs(t, err, broker.ErrTooLarge)
}
