package route

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// fakeProber fails for the addresses in fail and records which addresses were probed.
type fakeProber struct {
	fail  map[string]error
	after func(addr string) // called at the end of each probe; may be nil

	mu    sync.Mutex
	asked []string
}

func (p *fakeProber) Beat(_ context.Context, addr string) error {
	return p.probe("beat " + addr)
}

func (p *fakeProber) IdleBeat(_ context.Context, addr string, jobID int64) error {
	return p.probe(fmt.Sprintf("idle%d %s", jobID, addr))
}

func (p *fakeProber) probe(what string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = append(p.asked, what)
	var name, addr string
	if _, err := fmt.Sscan(what, &name, &addr); err != nil {
		return err
	}
	if p.after != nil {
		defer p.after(addr)
	}
	return p.fail[addr]
}

var probing = []struct {
	s     xxladapter.RouteStrategy
	asked string // how the fake records a probe for job 7
}{
	{xxladapter.RouteFailover, "beat "},
	{xxladapter.RouteBusyover, "idle7 "},
}

// TestChooseProbesInOrder checks that the first executor that answers well ends the walk (XXL-JOB
// 2.4.2, ExecutorRouteFailover.java and ExecutorRouteBusyover.java).
func TestChooseProbesInOrder(t *testing.T) {
	dead := errors.New("connection refused")
	for _, test := range probing {
		for alive := range abc {
			p := &fakeProber{fail: map[string]error{}}
			var asked []string
			for i := range alive + 1 {
				if i < alive {
					p.fail[abc[i]] = dead
				}
				asked = append(asked, test.asked+abc[i])
			}
			addr, err := New(p).Choose(t.Context(), test.s, 7, abc)
			require.NoError(t, err)
			require.Equal(t, abc[alive], addr)
			require.Equal(t, asked, p.asked)
		}
	}
}

func TestChooseProbesFindNone(t *testing.T) {
	e := []error{errors.New("connection refused"), errors.New("code 500: busy"), errors.New("timeout")}
	for _, test := range probing {
		p := &fakeProber{fail: map[string]error{abc[0]: e[0], abc[1]: e[1], abc[2]: e[2]}}
		addr, err := New(p).Choose(t.Context(), test.s, 7, abc)
		require.Empty(t, addr)
		require.Len(t, p.asked, 3)

		var probeErr *ProbeError
		require.ErrorAs(t, err, &probeErr)
		require.Equal(t, &ProbeError{
			Strategy: test.s,
			Probes:   []Probe{{abc[0], e[0]}, {abc[1], e[1]}, {abc[2], e[2]}},
		}, probeErr)
		for _, cause := range e {
			require.ErrorIs(t, err, cause)
		}
		require.EqualError(t, err, fmt.Sprintf("route: %s found no executor: "+
			"http://a/: connection refused; http://b/: code 500: busy; http://c/: timeout", test.s))
	}
}

func TestChooseContextEndsWalk(t *testing.T) {
	dead := errors.New("connection refused")
	for _, test := range probing {
		ctx, cancel := context.WithCancel(t.Context())
		p := &fakeProber{
			fail:  map[string]error{abc[0]: dead},
			after: func(string) { cancel() },
		}
		_, err := New(p).Choose(ctx, test.s, 7, abc)
		require.Equal(t, []string{test.asked + abc[0]}, p.asked)
		require.ErrorIs(t, err, context.Canceled)

		var probeErr *ProbeError
		require.ErrorAs(t, err, &probeErr)
		require.Equal(t, []Probe{{abc[0], dead}, {abc[1], context.Canceled}, {abc[2], context.Canceled}}, probeErr.Probes)

		// The context ended before the first probe.
		p.asked = nil
		_, err = New(p).Choose(ctx, test.s, 7, abc)
		require.Empty(t, p.asked)
		require.ErrorIs(t, err, context.Canceled)
	}
}

// TestChooseContextEndsDuringGoodProbe checks that an executor that was found is returned.
func TestChooseContextEndsDuringGoodProbe(t *testing.T) {
	for _, test := range probing {
		ctx, cancel := context.WithCancel(t.Context())
		p := &fakeProber{after: func(string) { cancel() }}
		addr, err := New(p).Choose(ctx, test.s, 7, abc)
		require.NoError(t, err)
		require.Equal(t, abc[0], addr)
	}
}

func TestChooseWithoutProber(t *testing.T) {
	for _, test := range probing {
		addr, err := New(nil).Choose(t.Context(), test.s, 7, abc)
		require.ErrorIs(t, err, errNoProber)
		require.Empty(t, addr)
	}
}
