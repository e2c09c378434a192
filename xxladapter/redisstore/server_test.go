//go:build unix

package redisstore

import (
	"crypto/rand"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// Only the holder of the pen appends, and only behind what it has read.
func TestOnlyTheHolderAppends(t *testing.T) {
	t.Parallel()
	id := rand.Text()
	server := func() *server {
		client, err := connect(testserver.Redis(t))
		require.NoError(t, err)
		s := newServer(client, id, false)
		t.Cleanup(func() { require.NoError(t, s.Close()) })
		return s
	}
	ctx, a, b := t.Context(), server(), server()
	held, err := a.Take(ctx)
	require.NoError(t, err)
	require.Equal(t, sqlstore.LogState{Pen: 1, Held: true}, held)
	require.NoError(t, a.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 1, Position: 7}))
	require.Error(t, a.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 1}), "a generation begins once")
	require.Error(t, a.Begin(ctx, sqlstore.LogState{Pen: 0, Generation: 2}), "under an earlier pen")
	require.Error(t, b.Begin(ctx, sqlstore.LogState{Pen: 1, Generation: 2}), "by another process")
	held, err = a.Look(ctx)
	require.NoError(t, err)
	require.Equal(t, sqlstore.LogState{Generation: 1, Position: 7, Pen: 1, Held: true}, held)

	_, err = a.Append(ctx, held, [][]byte{[]byte("eight\x00\xff"), []byte("nine")})
	require.NoError(t, err)
	now, err := a.Append(ctx, held, [][]byte{[]byte("eight")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused, "it was stored already")
	require.Equal(t, sqlstore.LogState{Generation: 1, Position: 9, Pen: 1, Held: true}, now)

	asked, err := b.Take(ctx)
	require.NoError(t, err)
	require.False(t, asked.Held)
	held, err = a.Append(ctx, now, [][]byte{[]byte("ten")})
	require.NoError(t, err)
	require.True(t, held.Wanted)
	require.NoError(t, a.Release(ctx))
	again, err := a.Take(ctx)
	require.NoError(t, err)
	require.False(t, again.Held, "b has asked first")
	taken, err := b.Take(ctx)
	require.NoError(t, err)
	require.Equal(t, sqlstore.LogState{Generation: 1, Position: 10, Pen: 2, Held: true, Wanted: false}, taken)
	_, err = a.Append(ctx, held, [][]byte{[]byte("eleven")})
	require.ErrorIs(t, err, sqlstore.ErrLogRefused)

	var read []string
	require.NoError(t, b.Read(ctx, 7, 10, func(number int64, record []byte) error {
		read = append(read, string(record))
		return nil
	}))
	require.Equal(t, []string{"eight\x00\xff", "nine", "ten"}, read)
	require.NoError(t, b.Trim(ctx, 8))
	require.ErrorIs(t, b.Read(ctx, 7, 10, func(int64, []byte) error { return nil }), sqlstore.ErrLogGap)
}
