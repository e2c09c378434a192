package trigger

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A doubtful node relies on its lease until it has been asked left times.
type doubtful struct {
	term xxladapter.Term
	left atomic.Int64
}

func (d *doubtful) ask() (xxladapter.Term, bool) { return d.term, d.left.Add(-1) >= 0 }

func newDoubtful(f *fixture, questions int64) *doubtful {
	term, _ := f.sched.term()
	d := &doubtful{term: term}
	d.left.Store(questions)
	f.sched.term = d.ask
	return d
}

// TestNothingIsSentOnceTheLeaseIsInDoubt lets the lease come into doubt at each moment at which the
// node checks it: before the claim, before the call, and after connecting.
func TestNothingIsSentOnceTheLeaseIsInDoubt(t *testing.T) {
	for questions, state := range []xxladapter.FireState{
		xxladapter.FirePlanned, xxladapter.FireClaimed, xxladapter.FireClaimed,
	} {
		exec := new(fakeExecutor)
		exec.Server = httptest.NewUnstartedServer(exec)
		var connected atomic.Int64
		exec.Config.ConnState = func(_ net.Conn, s http.ConnState) {
			if s == http.StateNew {
				connected.Add(1)
			}
		}
		exec.Start()
		t.Cleanup(exec.Close)
		f := newFixture(t, xxladapter.RouteFirst, exec.URL)
		newDoubtful(f, int64(questions))
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
		require.Empty(t, exec.taken())
		open := f.open()
		require.Len(t, open, 1)
		require.Equal(t, state, open[0].State, "after %d questions", questions)
		require.Empty(t, f.events)
		if state == xxladapter.FireClaimed {
			require.Zero(t, f.logs()[0].TriggerCode)
			require.Equal(t, Stats{Withheld: 1}, f.over.Stats())
		}
		if questions == 2 {
			require.Eventually(t, func() bool { return connected.Load() == 1 }, 10*time.Second, time.Millisecond,
				"the last question comes after connecting")
		}
	}
}

func TestASureNodeSendsOnNewAndKeptConnections(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	d := newDoubtful(f, 6)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	require.Len(t, exec.taken(), 2)
	require.Zero(t, d.left.Load(), "three questions for each")
	require.Zero(t, f.over.Stats())
}

func TestARequestThatIsWithheldHasALengthOtherwise(t *testing.T) {
	lengths := make(chan int64, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lengths <- r.ContentLength
		_, _ = w.Write([]byte(`{"code":200}`))
	}))
	defer srv.Close()
	c := client(t, ClientOptions{})
	_, err := c.Run(t.Context(), srv.URL, "", &wire.RunRequest{})
	require.NoError(t, err)
	require.Positive(t, <-lengths, "Java executors read no chunks")
	_, err = c.Run(sendOnlyIf(t.Context(), func() bool { return false }), srv.URL, "", &wire.RunRequest{})
	require.ErrorIs(t, err, errWithheld)
	require.NotErrorIs(t, err, ErrOutcomeUnknown)
	require.Empty(t, lengths)
}

// TestAZombieLeavesWhatWasTakenOver lets the term of a node end while its request is in flight;
// another node takes the fire over and settles it.
func TestAZombieLeavesWhatWasTakenOver(t *testing.T) {
	var f *fixture
	exec := newFakeExecutor(t, func(w http.ResponseWriter, path string) {
		term, _ := f.sched.term()
		require.NoError(t, f.store.Resign(t.Context(), term)) // as if it had lapsed
		other, _ := schedulerOf(t, f.store, "node-2").Term()
		fire := f.open()[0]
		require.NoError(t, f.store.TakeFire(t.Context(), other, fire.ID, term))
		_, err := f.store.SettleFire(t.Context(), other, xxladapter.Settlement{FireID: fire.ID, LogID: fire.LogID, Code: 200, Msg: "successor"})
		require.NoError(t, err)
		http.Error(w, "so the zombie thinks that it failed", http.StatusInternalServerError)
	})
	f = newFixture(t, xxladapter.RouteFirst, exec.URL)
	require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	require.Empty(t, f.open(), "no retry either")
	require.Equal(t, "successor", f.logs()[0].TriggerMsg)
	require.Equal(t, int64(1), f.over.Stats().Fenced)
	require.Empty(t, f.events, "its successor reports the fire")
	term, _ := f.sched.term()
	require.Equal(t, []xxladapter.Term{term}, f.sched.fenced)
}

// TestADoubtOfManyFiresIsALineASecond checks that a node that loses its lease, and withholds all
// that it has claimed, logs at most one line a second.
func TestADoubtOfManyFiresIsALineASecond(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	var lines bytes.Buffer
	f.over.opts.Logger = slog.New(slog.NewTextHandler(&lines, nil))
	begin := time.Now()
	const fires = 50
	for range fires {
		newDoubtful(f, 1)
		require.NoError(t, f.over.Fire(t.Context(), f.plan(xxladapter.Fire{})))
	}
	require.Equal(t, Stats{Withheld: fires}, f.over.Stats())
	said := strings.Count(lines.String(), "not sent, the lease is in doubt")
	require.GreaterOrEqual(t, said, 1)
	require.LessOrEqual(t, said, int(time.Since(begin)/time.Second)+2)
}

// TestAFireThatComesEarlyWaits checks that a fire that comes early stays planned, as after the
// clock was set back. A fire that is early by less than earlyLimit is waited for, as with a slewed
// clock.
func TestAFireThatComesEarlyWaits(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	far := f.plan(xxladapter.Fire{Due: time.Now().Add(time.Minute)})
	require.NoError(t, f.over.Fire(t.Context(), far))
	require.Equal(t, xxladapter.FirePlanned, f.open()[0].State)
	require.Empty(t, exec.taken())

	near := f.plan(xxladapter.Fire{Due: time.Now().Add(earlyLimit / 2)})
	require.NoError(t, f.over.Fire(t.Context(), near))
	require.False(t, time.Now().Before(near.Due))
	require.Len(t, exec.taken(), 1)
}

// A hastyStore reports times that are ahead of the clock by which it checks claims.
type hastyStore struct {
	Store
	ahead time.Duration
}

func (s hastyStore) Now(ctx context.Context) (time.Time, error) {
	now, err := s.Store.Now(ctx)
	return now.Add(s.ahead), err
}

// TestAClaimAsksTheStoresClockItself checks that a claim does not rely on an estimate of the
// store's clock, which is ahead after that clock was set back.
func TestAClaimAsksTheStoresClockItself(t *testing.T) {
	exec := newFakeExecutor(t, nil)
	f := newFixture(t, xxladapter.RouteFirst, exec.URL)
	f.over.opts.Store = hastyStore{f.store, time.Hour}
	far := f.plan(xxladapter.Fire{Due: time.Now().Add(time.Minute)})
	require.NoError(t, f.over.Fire(t.Context(), far))
	require.Equal(t, []xxladapter.Fire{far}, f.open())
	require.Empty(t, f.logs())
	require.Empty(t, exec.taken())
	require.Len(t, f.sched.early, 1)
	require.WithinRange(t, f.sched.early[0], time.Now().Add(-30*time.Second), time.Now())

	near := f.plan(xxladapter.Fire{Due: time.Now().Add(earlyLimit / 2)})
	require.NoError(t, f.over.Fire(t.Context(), near))
	require.False(t, time.Now().Before(near.Due))
	require.Len(t, exec.taken(), 1)
}
