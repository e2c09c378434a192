package sqlstore

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBadOptionsAreRefused checks that calls refuse bad options before anything is opened.
func TestBadOptionsAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new.db")
	const nowhere = "127.0.0.1:1/xxl"
	for message, opts := range map[string]Options{
		"sqlstore: Options.Connections is -1, must not be negative":                           {Connections: -1},
		"sqlstore: Options.LockLife is -1s, must be 0 for the default, or at least 1ms":       {LockLife: -time.Second},
		"sqlstore: Options.LockLife is 999.999µs, must be 0 for the default, or at least 1ms": {LockLife: time.Millisecond - time.Nanosecond},
		"sqlstore: Options.LockLife is 10000h0m0s, must be at most 24h0m0s":                   {LockLife: 10000 * time.Hour},
	} {
		for name, call := range map[string]func(context.Context) error{
			"sqlite":   func(ctx context.Context) error { _, err := Open(ctx, "sqlite:"+file, opts); return err },
			"mysql":    func(ctx context.Context) error { _, err := Open(ctx, "mysql://"+nowhere, opts); return err },
			"postgres": func(ctx context.Context) error { _, err := Open(ctx, "postgres://"+nowhere, opts); return err },
			"migrate":  func(ctx context.Context) error { return MigrateMySQL(ctx, "mysql://"+nowhere, false, opts) },
			"plan":     func(ctx context.Context) error { _, err := PlanMySQL(ctx, "mysql://"+nowhere, opts); return err },
			"due index": func(ctx context.Context) error {
				_, err := DueIndexMySQL(ctx, "mysql://"+nowhere, false, opts)
				return err
			},
		} {
			require.EqualError(t, call(t.Context()), message, name)
		}
	}
	require.NoFileExists(t, file)
}
