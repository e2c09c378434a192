package elect_test

import (
	"bytes"
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
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
)

// A node is a candidate in a bubble, with its log.
type node struct {
	*elect.Candidacy
	unfit   atomic.Bool
	changes atomic.Int64
	log     bytes.Buffer
	stop    context.CancelFunc
	ended   chan struct{}
}

func run(e elect.Elector) *node {
	n := &node{ended: make(chan struct{})}
	n.Candidacy = elect.NewCandidacy(e, func() bool { return !n.unfit.Load() }, func() { n.changes.Add(1) },
		slog.New(slog.NewTextHandler(&n.log, nil)))
	ctx, stop := context.WithCancel(context.Background())
	n.stop = stop
	go func() {
		defer close(n.ended)
		_ = n.Run(ctx)
	}()
	synctest.Wait()
	return n
}

func (n *node) end() {
	n.stop()
	<-n.ended
}

// lines counts the log lines with a text, once everything in the bubble waits.
func (n *node) lines(text string) int {
	synctest.Wait() // the candidacy may be writing at this very instant
	return strings.Count(n.log.String(), text)
}

func TestOneOfTwoIsElected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m electtest.Memory
		one, two := run(m.Elector()), run(m.Elector())
		require.Equal(t, xxladapter.Election(1), one.Election())
		require.Equal(t, xxladapter.ElectionWaits, two.Election())
		require.Equal(t, int64(1), one.changes.Load())

		one.end()
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionWaits, one.Election())
		require.Equal(t, xxladapter.Election(2), two.Election())

		m.EndSession()
		synctest.Wait()
		require.Equal(t, xxladapter.Election(3), two.Election(), "it campaigns again")
		two.end()
	})
}

// TestANodeThatCannotLeadLetsAnotherOneLead makes the leader unfit, and later fit again.
func TestANodeThatCannotLeadLetsAnotherOneLead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m electtest.Memory
		one, two := run(m.Elector()), run(m.Elector())
		one.unfit.Store(true)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionWaits, one.Election())
		require.Equal(t, xxladapter.Election(2), two.Election())
		two.unfit.Store(true)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionWaits, two.Election())
		one.unfit.Store(false)
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, xxladapter.Election(3), one.Election())

		two.unfit.Store(false)
		time.Sleep(time.Second) // it waits for its election
		two.unfit.Store(true)
		time.Sleep(500 * time.Millisecond)
		one.end()
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionWaits, two.Election(), "it does not campaign")
		two.end()
	})
}

// A silentElector keeps each campaign waiting for contact, as long as a coordinator that drops
// packets does.
type silentElector struct{}

func (silentElector) String() string { return "silent" }

func (silentElector) Campaign(ctx context.Context, _ func()) (elect.Leadership, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(elect.ContactLimit):
		return nil, errors.New("no answer")
	}
}

// TestAnElectorThatIsAwayStaysAway has a node that cannot plan jobs for a while, as when the store
// does not answer either. The elector still counts as away afterwards, so the node may succeed a
// dead leader at once.
func TestAnElectorThatIsAwayStaysAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := run(silentElector{})
		time.Sleep(elect.ContactLimit)
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionAway, n.Election())
		time.Sleep(time.Second) // the next campaign has begun
		n.unfit.Store(true)
		time.Sleep(time.Second)
		n.unfit.Store(false)
		synctest.Wait()
		require.Equal(t, xxladapter.ElectionAway, n.Election(), "nothing was heard since")
		n.end()
	})
}

func TestTheElectorIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m electtest.Memory
		one, two := run(m.Elector()), run(m.Elector())
		m.SetAway(true)
		time.Sleep(time.Minute)
		for _, n := range []*node{one, two} {
			require.Equal(t, xxladapter.ElectionAway, n.Election())
			require.Equal(t, 1, n.lines("elector does not answer"))
		}
		m.SetAway(false)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		leader, other := one, two
		if leader.Election() < 0 {
			leader, other = other, leader
		}
		require.Positive(t, leader.Election())
		require.Equal(t, xxladapter.ElectionWaits, other.Election(), "it is a candidate again")
		for _, n := range []*node{one, two} {
			require.Equal(t, 1, n.lines("elector answers again"))
			n.end()
		}
	})
}
