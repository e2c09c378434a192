//go:build linux

package faults

import (
	"cmp"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A courier carries hints to one scheduler, and loses some of them.
type courier struct {
	server        *httptest.Server
	target        atomic.Pointer[url.URL] // nil until the scheduler's address is known
	carried, lost atomic.Int64
}

// newCourier returns a courier that loses a part of the hints.
func newCourier(t *testing.T, loses float64) *courier {
	c := new(courier)
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(c.target.Load()) }}
	c.server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path != spread.Path || c.target.Load() == nil:
			http.Error(w, "not here", http.StatusNotFound)
		case rand.Float64() < loses:
			c.lost.Add(1)
			w.WriteHeader(http.StatusNoContent) // the sender believes that it has arrived
		default:
			c.carried.Add(1)
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(c.server.Close)
	return c
}

// TestHalfOfTheHintsAreLost loses half of the hints with which a leader spreads what it plans. What
// nobody has claimed a second after its due time is armed by the leader, so nothing is lost or
// doubled, and hardly anything is later than that.
func TestHalfOfTheHintsAreLost(t *testing.T) {
	testserver.Long(t)
	onEach(t, servers, func(t *testing.T, e engine) {
		db := e.open(t)
		var couriers []*courier
		for range e.nodes {
			couriers = append(couriers, newCourier(t, 0.5))
		}
		c := newClusterOf(t, e, db, func(i int) []string {
			return []string{"--store", db.url, "--scheduling", "leader", "--spread", "hash", "--advertise", couriers[i].server.URL}
		})
		for i, server := range c.servers {
			target, err := url.Parse(server)
			require.NoError(t, err)
			couriers[i].target.Store(target)
		}
		c.addJobs(pick(60, *jobs), mixed, nil)
		c.waitForRuns(60)
		c.leader()
		pause(watched + 5*time.Second) // until it knows the others, and what it planned before is over
		from := checker.At(time.Now())
		pause(pick(10*time.Second, cmp.Or(*lasting, 2*time.Minute)))
		until := checker.At(time.Now())
		c.judge(checker.Options{Epsilon: resolved(), NoMisfires: true})
		late := c.lateness(func(run checker.Run) bool { return run.Due > from && run.Due < until })
		var carried, lost int64
		for _, courier := range couriers {
			carried, lost = carried+courier.carried.Load(), lost+courier.lost.Load()
		}
		t.Logf("%d hints carried, %d lost; %v", carried, lost, late)
		require.NotZero(t, carried)
		behind, _ := slices.BinarySearch(late, time.Second)
		// On average the lost hints name a third of the runs: half of what the leader does not
		// keep. Few hints name many runs, so by chance they may name far fewer.
		require.Greater(t, len(late)-behind, len(late)/20, "what the lost hints named waits for a second")
		require.Less(t, len(late)-behind, len(late)*2/3, "what the others named does not")
		require.LessOrEqual(t, late.p99(), pick(2500*time.Millisecond, 1500*time.Millisecond))
	})
}
