package scheduler

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A refusingStore fails scans, sweeps and renewals while away is set.
type refusingStore struct {
	Store
	away atomic.Bool
}

var errAway = errors.New("connection refused")

func (r *refusingStore) Lease(ctx context.Context, node string, life time.Duration) (xxladapter.Lease, error) {
	if r.away.Load() {
		return xxladapter.Lease{}, errAway
	}
	return r.Store.Lease(ctx, node, life)
}

func (r *refusingStore) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision) ([]xxladapter.Fire, int, error) {
	if r.away.Load() {
		return nil, 0, errAway
	}
	return r.Store.ClaimDue(ctx, by, ahead, limit, decide)
}

func (r *refusingStore) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	if r.away.Load() {
		return nil, errAway
	}
	return r.Store.OpenFires(ctx, f)
}

// TestAnOutageIsLoggedInAFewLines makes the store fail for three minutes, in which a node asks for
// a lease 449 times.
func TestAnOutageIsLoggedInAFewLines(t *testing.T) {
	inBubble(t, func(b *fixture) {
		b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		var said lockedText
		store := &refusingStore{Store: b.store}
		p := b.start("node-2", func(o *Options) {
			o.Store, o.Logger = store, slog.New(slog.NewTextHandler(&said, nil))
		})
		time.Sleep(2500 * time.Millisecond)
		synctest.Wait()
		require.Empty(t, said.String())

		store.away.Store(true)
		time.Sleep(3 * time.Minute)
		store.away.Store(false)
		time.Sleep(10 * time.Second)
		p.stop()
		counts := func(text string) int { return strings.Count(said.String(), text) }
		require.Equal(t, 3, counts(`msg="no lease"`), said.String())
		require.Equal(t, 1, counts(`msg="lease requests are answered again"`), said.String())
		require.LessOrEqual(t, counts("\n"), 10, said.String()) // scans and sweeps end with the lease
		require.Contains(t, said.String(), "failures=449")
	})
}

// TestAnOutageIsReportedAtItsBeginningOnceAMinuteAndAtItsEnd checks the lines of an outage, and
// that a success without one is not reported.
func TestAnOutageIsReportedAtItsBeginningOnceAMinuteAndAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var said lockedText
		o := outage{
			logger: slog.New(slog.NewTextHandler(&said, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
				if a.Key == slog.TimeKey {
					return slog.Attr{}
				}
				return a
			}})),
			level: slog.LevelError, begins: "scan failed", ends: "scans work again",
		}
		o.note(nil)
		require.Empty(t, said.String())
		for range 125 {
			o.note(errAway)
			time.Sleep(time.Second)
		}
		o.note(nil)
		o.note(nil)
		o.note(errAway)
		require.Equal(t, `level=ERROR msg="scan failed" err="connection refused"
level=ERROR msg="scan failed" err="connection refused" failures=61 for=1m0s
level=ERROR msg="scan failed" err="connection refused" failures=121 for=2m0s
level=INFO msg="scans work again" failures=125 for=2m5s
level=ERROR msg="scan failed" err="connection refused"
`, said.String())
	})
}
