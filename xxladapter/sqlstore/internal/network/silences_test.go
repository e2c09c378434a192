package network

import (
	"maps"
	"math/rand/v2"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A silencer is a server whose open connections may all fall silent at once. New ones work.
type silencer struct {
	network *Connections

	mu       sync.Mutex
	silences int
}

func (s *silencer) silence() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.silences++
}

func (s *silencer) now() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.silences
}

// dial connects. The server speaks first, as MySQL does, and answers each byte after ten
// milliseconds.
func (s *silencer) dial(limit *Patience) (*socket, error) {
	client, server := net.Pipe()
	made := s.now()
	go func() {
		for b := make([]byte, 1); ; {
			time.Sleep(10 * time.Millisecond) // in a bubble
			if s.now() == made {
				if _, err := server.Write(b); err != nil {
					return
				}
			}
			if _, err := server.Read(b); err != nil {
				return
			}
		}
	}()
	conn, err := s.network.add(client, limit)
	if err == nil {
		_, err = conn.Read(make([]byte, 1))
	}
	return conn, err
}

// A silencerPool holds connections with one limit, each used by one call at a time.
type silencerPool struct {
	server *silencer
	limit  *Patience
	idle   chan *socket // nil stands for a connection that is not open yet
}

func (s *silencer) pool(conns int, limit *Patience) *silencerPool {
	p := &silencerPool{s, limit, make(chan *socket, conns)}
	for range conns {
		p.idle <- nil
	}
	return p
}

// try makes one call. After an error it is unknown whether the server received the request.
func (p *silencerPool) try() error {
	conn := <-p.idle
	defer func() { p.idle <- conn }()
	if conn == nil || !Sound(conn) {
		var err error
		if conn, err = p.server.dial(p.limit); err != nil {
			conn = nil
			return err
		}
	}
	b := make([]byte, 1)
	_, err := conn.Write(b)
	if err == nil {
		_, err = conn.Read(b)
	}
	if err != nil {
		_ = conn.Close()
		conn = nil
	}
	return err
}

// call retries a call until it is answered.
func (p *silencerPool) call() {
	for p.try() != nil {
	}
}

// TestANewConnectionEndsThoseThatWait checks that connections that have waited since before a
// silence end as soon as the server answers on a new connection, and no earlier. A wait that may be
// long continues.
func TestANewConnectionEndsThoseThatWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &silencer{network: New()}
		defer server.network.Close()
		slow := &Patience{Min: QuickSilence, Max: SlowSilence}
		slow.answered(2*time.Second, false)
		pools := map[string]*silencerPool{
			"quick": server.pool(1, Fixed(QuickSilence)), "slow": server.pool(1, slow), "listing": server.pool(1, Fixed(SlowSilence)),
		}
		for _, p := range pools {
			require.NoError(t, p.try())
		}
		first := server.pool(2, Fixed(LeaseSilence))
		require.NoError(t, first.try())
		server.silence()
		begun := time.Now()
		var mu sync.Mutex
		took := map[string]time.Duration{} // guarded by mu
		ended := func() map[string]time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return maps.Clone(took)
		}
		for name, p := range pools {
			go func() {
				_ = p.try()
				mu.Lock()
				defer mu.Unlock()
				took[name] = time.Since(begun)
			}()
		}
		_ = first.try() // finds the silent one, or makes a new one
		_ = first.try()
		require.GreaterOrEqual(t, time.Since(begun), LeaseSilence)
		synctest.Wait()
		require.Empty(t, ended(), "no new connection has been answered")
		require.NoError(t, server.pool(1, Fixed(LeaseSilence)).try())
		synctest.Wait()
		quick := ended()
		require.Less(t, quick["quick"], QuickSilence)
		require.Len(t, quick, 1)
		time.Sleep(SlowSilence)
		synctest.Wait()
		require.Equal(t, map[string]time.Duration{"quick": quick["quick"], "slow": 4 * time.Second, "listing": SlowSilence}, ended())
	})
}

// A silencedNode does what a scheduler does: scans, sweeps and renewals once a second, and fires.
type silencedNode struct {
	lookups, batches, scans, looks, leases *silencerPool

	mu      sync.Mutex
	planned time.Time // until when fires are planned
}

func (n *silencedNode) plan(until time.Time) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.planned = until
}

func (n *silencedNode) plannedUntil() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.planned
}

func (n *silencedNode) sweep() { n.looks.call(); n.looks.call() }

// scan plans five seconds ahead. A sweep follows a commit in doubt.
func (n *silencedNode) scan() {
	n.looks.call()
	n.looks.call()
	until := time.Now().Add(5 * time.Second)
	for range 5 {
		n.scans.call()
	}
	if n.scans.try() != nil {
		n.sweep()
	}
	n.plan(until)
}

// fire looks up a job and claims its fire. If the answer is lost, it claims again and looks up the
// claim.
func (n *silencedNode) fire() {
	n.lookups.call()
	if n.batches.try() != nil {
		n.batches.call()
		n.looks.call()
	}
}

// TestTwoSilencesDelayNothingByMoreThanTwoLimits makes all connections fall silent twice within
// four seconds, at any phase of a node's work. A fire waits at most once for each silence, whatever
// it and the others were doing. The rest of the six seconds that DESIGN.md of package sqlstore
// promises is for a slow machine.
func TestTwoSilencesDelayNothingByMoreThanTwoLimits(t *testing.T) {
	var latest time.Duration
	for seed := range uint64(400) {
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 1))
			upTo := func(d time.Duration) time.Duration { return time.Duration(r.Int64N(int64(d))) }
			server := &silencer{network: New()}
			quick, patient := Fixed(QuickSilence), &Patience{Min: QuickSilence, Max: SlowSilence}
			n := &silencedNode{
				lookups: server.pool(1, quick), batches: server.pool(1, quick), scans: server.pool(1, quick),
				looks: server.pool(2, patient), leases: server.pool(1, Fixed(LeaseSilence)),
			}
			var all sync.WaitGroup
			end := time.Now().Add(20 * time.Second)
			everySecond := func(phase time.Duration, do func()) {
				all.Go(func() {
					time.Sleep(phase)
					for time.Now().Before(end) {
						do()
						time.Sleep(time.Until(time.Now().Truncate(time.Second).Add(time.Second + phase)))
					}
				})
			}
			everySecond(0, n.scan)
			everySecond(upTo(time.Second), n.sweep)
			everySecond(upTo(time.Second), n.leases.call)
			var mu sync.Mutex
			for due := time.Now().Add(time.Second); due.Before(end.Add(-5 * time.Second)); due = due.Add(10*time.Millisecond + upTo(200*time.Millisecond)) {
				all.Go(func() {
					time.Sleep(time.Until(due))
					for n.plannedUntil().Before(due) {
						time.Sleep(time.Millisecond)
					}
					n.fire()
					mu.Lock()
					defer mu.Unlock()
					latest = max(latest, time.Since(due))
				})
			}
			time.Sleep(6*time.Second + upTo(time.Second))
			server.silence()
			// The worst moment is when what the first silence delayed continues.
			time.Sleep(2*time.Second + upTo([]time.Duration{600 * time.Millisecond, 2 * time.Second}[seed%2]))
			server.silence()
			all.Wait()
			server.network.Close()
		})
	}
	t.Logf("latest %v", latest)
	require.GreaterOrEqual(t, latest, QuickSilence)
	require.Less(t, latest, 2*QuickSilence+200*time.Millisecond)
}
