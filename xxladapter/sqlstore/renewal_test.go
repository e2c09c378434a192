package sqlstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestARenewalThatIsOvertakenLooksAgain lets something happen to the lease
// between the look of a renewal and its statement, which is when it reads the
// clock.
func TestARenewalThatIsOvertakenLooksAgain(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		meanwhile func(context.Context, *Store, xxladapter.Term) error
		want      xxladapter.Lease // but for the time
	}{
		"nothing": {
			func(context.Context, *Store, xxladapter.Term) error { return nil },
			xxladapter.Lease{Term: xxladapter.Term{Node: "n1", Number: 1}, Shards: xxladapter.AllShards},
		},
		"the term ends": {
			func(ctx context.Context, s *Store, by xxladapter.Term) error { return s.Resign(ctx, by) },
			xxladapter.Lease{Term: xxladapter.Term{Node: "n1", Number: 2}, Shards: xxladapter.AllShards},
		},
		"it retires": {
			func(ctx context.Context, s *Store, by xxladapter.Term) error { return s.Retire(ctx, by) },
			xxladapter.Lease{Term: xxladapter.Term{Node: "n1", Number: 1}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			meanwhile := func() {}
			s := openCopy(t, func() time.Time {
				meanwhile()
				return time.Unix(1_800_000_000, 0)
			}).(*Store)
			defer func() { require.NoError(t, s.Close()) }()
			term := termOf(t, s, "n1")
			meanwhile = func() {
				meanwhile = func() {}
				require.NoError(t, c.meanwhile(t.Context(), s, term))
			}
			got, err := s.Lease(t.Context(), "n1", time.Minute)
			require.NoError(t, err)
			require.Equal(t, time.Unix(1_800_000_060, 0).UTC(), got.Until)
			got.Until = time.Time{}
			require.Equal(t, c.want, got)
		})
	}
}
