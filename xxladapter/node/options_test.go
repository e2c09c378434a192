package node

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestBadOptionsAreRefused checks the options of a node and those of the parts that it builds.
func TestBadOptionsAreRefused(t *testing.T) {
	store := memstore.New(time.Now)
	_, err := New(Options{})
	require.EqualError(t, err, "node: Options.Store is nil, must be set")
	for rule, opts := range map[string]Options{
		"KeepSuccesses is -1s, must not be negative":       {KeepSuccesses: -time.Second},
		`RunTexts: texts is "some", must be one of off, `:  {RunTexts: "some"},
		"FastPool is -1, must not be negative":             {FastPool: -1},
		"SlowPool is -2, must not be negative":             {SlowPool: -2},
		"PoolPerApp is -3, must not be negative":           {PoolPerApp: -3},
		"Drain is -1ms, must not be negative":              {Drain: -time.Millisecond},
		`Scheduling: scheduling is "some", must be one of`: {Scheduling: "some"},
		`Spread: spread is "some", must be one of `:        {Spread: "some"},
		`PublicURL is "jobs.example.org", must be an addr`: {PublicURL: "jobs.example.org"},
	} {
		opts.Store = store
		_, err := New(opts)
		require.ErrorContains(t, err, "node: Options."+rule)
	}
	n, err := New(Options{Store: store, KeepLogs: -24 * time.Hour, SkewLimit: -1})
	require.NoError(t, err, "keep forever, and do not compare the clocks")
	require.Zero(t, n.info().KeepLogs, "the API says 0 for forever")
}
