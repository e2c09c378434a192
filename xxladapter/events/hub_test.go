package events

import (
	"context"
	"log/slog"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A counted store counts its reads of changes, each of which costs a database one statement.
type counted struct {
	*memstore.Store
	calls  atomic.Int64
	fails  atomic.Bool
	marked atomic.Pointer[func()] // called once, after the next read of the marks; nil does nothing
	hidden atomic.Int64           // the id of a run whose transaction has not committed; 0 means none
}

// committed leaves out the run whose transaction has not committed.
func (s *counted) committed(runs []xxladapter.RunMark, err error) ([]xxladapter.RunMark, error) {
	return slices.DeleteFunc(runs, func(m xxladapter.RunMark) bool { return m.ID == s.hidden.Load() }), err
}

func (s *counted) Marks(ctx context.Context) (xxladapter.Marks, error) {
	s.calls.Add(1)
	if s.fails.Load() {
		return xxladapter.Marks{}, context.DeadlineExceeded
	}
	m, err := s.Store.Marks(ctx)
	if f := s.marked.Swap(nil); f != nil {
		(*f)()
	}
	return m, err
}

func (s *counted) ChangedJobs(ctx context.Context, since time.Time, limit int) ([]xxladapter.JobMark, error) {
	s.calls.Add(1)
	return s.Store.ChangedJobs(ctx, since, limit)
}

func (s *counted) NewRuns(ctx context.Context, after int64, limit int) ([]xxladapter.RunMark, error) {
	s.calls.Add(1)
	return s.committed(s.Store.NewRuns(ctx, after, limit))
}

func (s *counted) RunMarks(ctx context.Context, ids []int64) ([]xxladapter.RunMark, error) {
	s.calls.Add(1)
	return s.committed(s.Store.RunMarks(ctx, ids))
}

// A site is a hub on a store with one group and one job, in a bubble of synctest.
type site struct {
	*testing.T
	store      *counted
	hub        *Hub
	group, job int64
}

func newSite(t *testing.T) *site {
	s := &site{T: t, store: &counted{Store: memstore.New(time.Now)}}
	s.hub = NewHub(s.store, slog.New(slog.DiscardHandler))
	t.Cleanup(s.hub.Close)
	var err error
	s.group, err = s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	s.job = s.addJob()
	time.Sleep(time.Minute) // in the bubble's own time: what was just made is old
	return s
}

func (s *site) addJob() int64 {
	s.Helper()
	j := &xxladapter.Job{GroupID: s.group, Name: "n", Author: "a", Handler: "h"}
	j.SetDefaults()
	id, err := xxladapter.CreateJob(s.Context(), s.store, j)
	require.NoError(s, err)
	return id
}

// runs begins n runs.
func (s *site) runs(n int) (ids []int64) {
	s.Helper()
	lease, err := s.store.Lease(s.Context(), "n1", time.Hour)
	require.NoError(s, err)
	for range n {
		fires, err := s.store.PlanFires(s.Context(), []xxladapter.Fire{{JobID: s.job, Due: time.Now(), Type: xxladapter.TriggerManual}})
		require.NoError(s, err)
		time.Sleep(time.Until(fires[0].Due)) // the next free millisecond
		claimed, err := s.store.ClaimFire(s.Context(), lease.Term, fires[0].ID, []*xxladapter.Log{{JobID: s.job, GroupID: s.group}})
		require.NoError(s, err)
		ids = append(ids, claimed[0].LogID)
	}
	return ids
}

func (s *site) end(id int64) {
	s.Helper()
	_, _, err := s.store.FinishRun(s.Context(), xxladapter.RunResult{LogID: id, Code: xxladapter.ResultOK})
	require.NoError(s, err)
}

func (s *site) listen(after Position) *Listener {
	s.Helper()
	l, err := s.hub.Listen(after)
	require.NoError(s, err)
	synctest.Wait()
	return l
}

// next returns the events of the next two seconds.
func (s *site) next(l *Listener) (found []Event) {
	s.Helper()
	time.Sleep(2 * pace) // in the bubble's own time
	synctest.Wait()
	for {
		select {
		case e, open := <-l.Events:
			if !open {
				return found
			}
			e.Position = Position{}
			found = append(found, e)
		default:
			return found
		}
	}
}

func TestEachChangeIsOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		l := s.listen(Position{})
		require.Equal(t, []Event{{Topic: TopicAll}}, s.next(l))
		require.Empty(t, s.next(l))

		job := s.addJob()
		require.Equal(t, []Event{{Topic: TopicJob, ID: job, GroupID: s.group}}, s.next(l))
		for range 3 { // moves its time of change ahead of the clock
			j, err := s.store.Job(t.Context(), job)
			require.NoError(t, err)
			require.NoError(t, xxladapter.UpdateJob(t.Context(), s.store, j, false))
		}
		require.Equal(t, []Event{{Topic: TopicJob, ID: job, GroupID: s.group}}, s.next(l))
		other := s.addJob() // changed later, with an earlier time of change
		require.Equal(t, []Event{{Topic: TopicJob, ID: other, GroupID: s.group}}, s.next(l))

		ids := s.runs(2)
		first, second := Event{Topic: TopicRun, ID: ids[0], GroupID: s.group}, Event{Topic: TopicRun, ID: ids[1], GroupID: s.group}
		require.Equal(t, []Event{first, second, {Topic: TopicNode}}, s.next(l))
		s.end(ids[1])
		require.Equal(t, []Event{second}, s.next(l))
		require.NoError(t, s.store.Register(t.Context(), "some-app", "http://a:1"))
		require.Equal(t, []Event{{Topic: TopicGroup}}, s.next(l))
		require.NoError(t, xxladapter.RemoveJob(t.Context(), s.store, other))
		require.Equal(t, []Event{{Topic: TopicJob}}, s.next(l))
		s.hub.Tell(Event{Topic: TopicJob, ID: other})
		require.Equal(t, []Event{{Topic: TopicJob, ID: other}}, s.next(l))
		require.Empty(t, s.next(l))
	})
}

func TestManyRunsAreOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		before := s.runs(openRuns + 1)
		l := s.listen(Position{})
		require.Equal(t, []Event{{Topic: TopicAll}}, s.next(l))
		ids := s.runs(manyRuns + 1)
		require.Equal(t, []Event{{Topic: TopicRun}}, s.next(l))
		last := ids[len(ids)-1]
		s.end(last)
		require.Equal(t, []Event{{Topic: TopicRun, ID: last, GroupID: s.group}}, s.next(l))
		s.end(before[0]) // an older run than those that are followed
		require.Equal(t, []Event{{Topic: TopicRun}}, s.next(l))
		s.end(before[1]) // another one, at the same time as one that is followed
		followed := ids[len(ids)-2]
		s.end(followed)
		require.Equal(t, []Event{{Topic: TopicRun, ID: followed, GroupID: s.group}, {Topic: TopicRun}}, s.next(l))
	})
}

// TestARunThatEndsDuringAPollIsOneEvent ends a run after a poll has read how many have ended, and
// before the poll reads the run.
func TestARunThatEndsDuringAPollIsOneEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		id := s.runs(1)[0]
		l := s.listen(Position{})
		s.next(l)
		end := func() { s.end(id) }
		s.store.marked.Store(&end)
		require.Equal(t, []Event{{Topic: TopicRun, ID: id, GroupID: s.group}}, s.next(l))
	})
}

func TestFiftyListenersOnAnIdleStoreCostLittle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		time.Sleep(time.Hour)
		require.Zero(t, s.store.calls.Load(), "nobody listens")
		var all []*Listener
		for range 50 {
			all = append(all, s.listen(Position{}))
		}
		time.Sleep(time.Minute + pace/2) // between two polls
		polled := s.store.calls.Load()
		const first = 3 // statements of the first look
		require.EqualValues(t, first+60*2, polled, "two statements a second")
		s.runs(1)
		time.Sleep(2 * pace)
		begun := s.store.calls.Load()
		time.Sleep(time.Minute)
		polled = s.store.calls.Load()
		require.EqualValues(t, 60*3, polled-begun, "one more while a run is open")
		for _, l := range all {
			l.Leave()
			l.Leave() // again changes nothing
		}
		synctest.Wait()
		polled = s.store.calls.Load()
		time.Sleep(time.Hour)
		require.Equal(t, polled, s.store.calls.Load(), "nobody listens any longer")
	})
}

func TestAListenerThatComesBackMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		stays, leaves := s.listen(Position{}), s.listen(Position{})
		last := (<-stays.Events).Position // before the other one came
		leaves.Leave()
		job := s.addJob()
		s.next(stays)
		require.Equal(t, []Event{{Topic: TopicJob, ID: job, GroupID: s.group}}, s.next(s.listen(ParsePosition(last.String()))))
		for _, strange := range []Position{{"another", last.Number}, {last.Generation, last.Number - 1}, {last.Generation, last.Number + 9}} {
			require.Equal(t, TopicAll, s.next(s.listen(strange))[0].Topic, "%v", strange)
		}
	})
}

// TestEachNewListenerReadsEverything checks that a second listener is notified to read everything:
// what it has read before may have changed, and only the first listener was notified of that.
func TestEachNewListenerReadsEverything(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		first := s.listen(Position{})
		require.Equal(t, []Event{{Topic: TopicAll}}, s.next(first))
		second := s.listen(Position{})
		require.Equal(t, []Event{{Topic: TopicAll}}, s.next(second))
		require.Empty(t, s.next(first))
		job := s.addJob()
		require.Equal(t, []Event{{Topic: TopicJob, ID: job, GroupID: s.group}}, s.next(second))
	})
}

func TestASlowListenerIsDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		slow, reads := s.listen(Position{}), s.listen(Position{})
		for range (kept + buffer) / manyRuns {
			s.runs(manyRuns)
			s.next(reads)
		}
		s.runs(manyRuns)
		require.NotEmpty(t, s.next(reads))
		n := 0
		for range slow.Events { // ends, since it was closed
			n++
		}
		require.Equal(t, kept+buffer, n)
		s.addJob()
		require.NotEmpty(t, s.next(reads), "the others are not affected")
	})
}

// TestTheLastSlowListenerLeavesNothing has the only listener fall behind in the midst of a poll.
func TestTheLastSlowListenerLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		slow := s.listen(Position{})
		many := make([]Event, kept+buffer+10)
		s.hub.publish(s.hub.generation, many)
		for range slow.Events { // ends, since it was closed
		}
		require.Empty(t, s.hub.recent)
		require.Zero(t, s.hub.number)
	})
}

func TestAFailureLosesNoChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		l := s.listen(Position{})
		s.next(l)
		s.store.fails.Store(true)
		id := s.runs(1)[0]
		require.Empty(t, s.next(l))
		time.Sleep(time.Minute)
		s.store.fails.Store(false)
		require.Contains(t, s.next(l), Event{Topic: TopicRun, ID: id, GroupID: s.group})
	})
}

func TestCloseEndsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		l := s.listen(Position{})
		s.hub.Close()
		s.hub.Close() // again changes nothing
		s.next(l)
		_, open := <-l.Events
		require.False(t, open)
		_, err := s.hub.Listen(Position{})
		require.Error(t, err)
		l.Leave()
	})
}

func TestListenersAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		for range maxListeners {
			s.listen(Position{})
		}
		_, err := s.hub.Listen(Position{})
		require.ErrorIs(t, err, xxladapter.ErrConflict)
	})
}

// TestARunThatIsCommittedLateIsNamed has a run become visible after one with a higher id, as the
// transactions of two schedulers may commit in any order.
func TestARunThatIsCommittedLateIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		event := func(id int64) []Event { return []Event{{Topic: TopicRun, ID: id, GroupID: s.group}} }
		s.runs(1)
		s.store.hidden.Store(2) // before the first view
		ids := s.runs(2)
		l := s.listen(Position{})
		require.Equal(t, []Event{{Topic: TopicAll}}, s.next(l))
		s.store.hidden.Store(0)
		require.Equal(t, event(ids[0]), s.next(l))

		s.store.hidden.Store(4)
		ids = s.runs(2)
		require.Equal(t, event(ids[1]), s.next(l))
		s.store.hidden.Store(0)
		require.Equal(t, event(ids[0]), s.next(l))
		s.end(ids[0])
		require.Equal(t, event(ids[0]), s.next(l), "it is followed")

		s.store.hidden.Store(6) // rolled back
		s.runs(2)
		require.Len(t, s.next(l), 1)
		time.Sleep(latePolls * pace)
		s.store.hidden.Store(0)
		require.Empty(t, s.next(l), "it is no longer looked for")
	})
}
