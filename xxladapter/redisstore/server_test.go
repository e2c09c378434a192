//go:build unix

package redisstore

import (
	"crypto/rand"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestOnlyTheHolderAppends checks that only the holder of the pen appends, and only behind what it
// has read.
func TestOnlyTheHolderAppends(t *testing.T) {
	t.Parallel()
	id := rand.Text()
	server := func() *server { return serverOf(t, testserver.Redis(t), id) }
	ctx, a, b := t.Context(), server(), server()
	held, err := a.Take(ctx)
	require.NoError(t, err)
	run := held.Started
	require.NotEmpty(t, run)
	require.Equal(t, sqlstore.LogState{Pen: 1, Held: true, Started: run}, held)
	require.NoError(t, a.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 1, Position: 7}))
	require.Error(t, a.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 1}), "a generation begins once")
	require.Error(t, a.Begin(ctx, sqlstore.LogState{Pen: 0, Generation: 2}), "under an earlier pen")
	require.Error(t, b.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 2}), "by another process")
	held, err = a.Look(ctx)
	require.NoError(t, err)
	require.Equal(t, sqlstore.LogState{Generation: 1, Position: 7, Pen: 1, Held: true, Started: run}, held)

	_, err = a.Append(ctx, held, 1, [][]byte{[]byte("eight\x00\xff"), []byte("nine")})
	require.NoError(t, err)
	want := sqlstore.LogState{Generation: 1, Position: 9, Pen: 1, Held: true, Started: run}
	now, err := a.Append(ctx, held, 1, [][]byte{[]byte("eight\x00\xff"), []byte("nine")})
	require.NoError(t, err, "it is stored already, and not again")
	require.Equal(t, want, now)
	now, err = a.Append(ctx, held, 2, [][]byte{[]byte("eight"), []byte("nine")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused, "another batch of as many records is stored")
	require.Equal(t, want, now)
	now, err = a.Append(ctx, held, 1, [][]byte{[]byte("eight")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused)
	require.Equal(t, want, now)

	asked, err := b.Take(ctx)
	require.NoError(t, err)
	require.False(t, asked.Held)
	held, err = a.Append(ctx, now, 3, [][]byte{[]byte("ten")})
	require.NoError(t, err)
	require.True(t, held.Wanted)
	require.NoError(t, a.Release(ctx))
	again, err := a.Take(ctx)
	require.NoError(t, err)
	require.False(t, again.Held, "b has asked first")
	taken, err := b.Take(ctx)
	require.NoError(t, err)
	require.Equal(t, sqlstore.LogState{Generation: 1, Position: 10, Pen: 2, Held: true, Wanted: false, Started: run}, taken)
	_, err = a.Append(ctx, held, 3, [][]byte{[]byte("eleven")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused)

	require.NoError(t, b.Read(ctx, 8, 9, func(number int64, record []byte) error {
		require.Equal(t, "9 nine", fmt.Sprintf("%d %s", number, record), "the one before in the same entry is skipped")
		return nil
	}))
	var read []string
	require.NoError(t, b.Read(ctx, 7, 10, func(number int64, record []byte) error {
		read = append(read, string(record))
		return nil
	}))
	require.Equal(t, []string{"eight\x00\xff", "nine", "ten"}, read)
	require.NoError(t, b.Trim(ctx, 8))
	require.NoError(t, b.Read(ctx, 8, 10, func(int64, []byte) error { return nil }), "the batch of record 9 is still needed")
	require.NoError(t, b.Trim(ctx, 9))
	require.ErrorIs(t, b.Read(ctx, 7, 10, func(int64, []byte) error { return nil }), sqlstore.ErrLogGap)
}

// serverOf returns the log of a store with an id at a URL. The test closes it.
func serverOf(t *testing.T, url, id string) *server {
	t.Helper()
	at, err := connect(t.Context(), url, false)
	require.NoError(t, err)
	s := newServer(at, id, false)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// TestAnIdentityHasRoomInTheTables tries servers with long names, whose processes are a part of the
// identity.
func TestAnIdentityHasRoomInTheTables(t *testing.T) {
	s := &server{lossy: true}
	run, other := strings.Repeat("a", 40), strings.Repeat("a", 39)+"b"
	seen := map[string]bool{}
	for _, host := range []string{"", "127.0.0.1:6379", "redis-0.redis-headless.orders.svc.cluster.local:6379", strings.Repeat("x", 253) + ":6379"} {
		for _, process := range []*string{nil, &run, &other} {
			of := s.identity(&client{named: promotion{address: host, epoch: "12"}}, process)
			require.LessOrEqual(t, len(of), 64, of)
			require.False(t, seen[of], of)
			seen[of] = true
		}
	}
}

// TestAPenOfAnotherClockIsTaken has a pen from a former primary whose clock was far ahead.
func TestAPenOfAnotherClockIsTaken(t *testing.T) {
	t.Parallel()
	id := rand.Text()
	a, b := serverOf(t, testserver.Redis(t), id), serverOf(t, testserver.Redis(t), id)
	held, err := a.Take(t.Context())
	require.NoError(t, err)
	require.True(t, held.Held)
	later := time.Now().Add(time.Hour).UnixMilli()
	require.NoError(t, clientOf(t, testserver.Redis(t)).HSet(t.Context(), a.head, "until", later).Err())
	held, err = b.Take(t.Context())
	require.NoError(t, err)
	require.True(t, held.Held)
}
