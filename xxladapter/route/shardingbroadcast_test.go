package route

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestShard checks that a retried shard goes to its index in the current list, or to the first
// address if that list became shorter (XXL-JOB 2.4.2, XxlJobTrigger.java).
func TestShard(t *testing.T) {
	for _, test := range []struct {
		addrs []string
		index int
		want  string
	}{
		{abc, 0, abc[0]},
		{abc, 1, abc[1]},
		{abc, 2, abc[2]},

		// The list became shorter.
		{abc, 3, abc[0]},
		{abc, 1000, abc[0]},
		{abc[1:2], 1, abc[1]},
	} {
		addr, err := Shard(test.addrs, test.index)
		require.NoError(t, err)
		require.Equal(t, test.want, addr, "%+v", test)
	}
}

func TestShardErrors(t *testing.T) {
	_, err := Shard(nil, 0)
	require.ErrorIs(t, err, ErrNoAddress)
	_, err = Shard(abc, -1)
	require.EqualError(t, err, "route: shard index is -1, must not be negative")
}
