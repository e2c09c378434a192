package scheduler

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
)

// wires carry hints between the peers of a fixture, whose names are their addresses.
type wires struct {
	mu    sync.Mutex // guards the fields below
	peers map[string]*peer
	fault map[string]func() error // by name; a hint that comes to it is not delivered
	sent  int
}

func (w *wires) send(ctx context.Context, address string, h spread.Hint) error {
	w.mu.Lock()
	w.sent++
	to, fault := w.peers[address], w.fault[address]
	w.mu.Unlock()
	if fault != nil {
		return fault()
	}
	return to.TakeHint(ctx, h)
}

// breakTo sets what becomes of hints to a node; nil delivers them.
func (w *wires) breakTo(node string, fault func() error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fault[node] = fault
}

func (w *wires) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.sent
}

// spreading starts nodes in leader mode that spread fires in the given way. The first one leads.
func (b *fixture) spreading(by xxladapter.Spread, names ...string) (*wires, []*peer) {
	w := &wires{peers: map[string]*peer{}, fault: map[string]func() error{}}
	var peers []*peer
	for _, name := range names {
		p := b.start(name, func(o *Options) {
			o.Mode, o.Spread, o.Advertise, o.SendHint = xxladapter.SchedulingLeader, by, name, w.send
		})
		w.mu.Lock()
		w.peers[name] = p
		w.mu.Unlock()
		peers = append(peers, p)
		time.Sleep(100 * time.Millisecond) // in a bubble
	}
	return w, peers
}

// everySecond adds spreadJobs jobs that are due at different milliseconds, once a spreadPeriod.
func (b *fixture) everySecond() {
	for i := range spreadJobs {
		b.addJob(xxladapter.ScheduleFixRate, "1.001", spreadFirst(i))
	}
}

const (
	spreadJobs = 96
	// spreadPeriod is not a whole number of seconds: a rate of whole seconds is due only at whole
	// seconds.
	spreadPeriod = 1001 * time.Millisecond
)

// spreadFirst returns when a job of everySecond is first due, from the start.
func spreadFirst(job int) time.Duration {
	return time.Second + (time.Duration(job) * time.Second / spreadJobs).Truncate(time.Millisecond)
}

// judge ends all nodes and requires that each due time of everySecond has fired once, up to a
// second before the end.
func (b *fixture) judge(start time.Time, peers ...*peer) {
	b.t.Helper()
	lasted := time.Since(start)
	for _, p := range peers {
		p.stop()
	}
	seen := dues(b.t, peers...)
	for i := range spreadJobs {
		for k := range int(lasted/time.Second) - 2 {
			due := start.Add(spreadFirst(i) + time.Duration(k)*spreadPeriod)
			require.Equal(b.t, 1, seen[due.UnixMilli()], "job %d, due time %d", i, k)
		}
	}
}

// fired returns how many fires a node has handed over that were due after an instant, and the
// smallest and the largest lateness.
func (p *peer) fired(after time.Time) (n int, least, most time.Duration) {
	least = time.Hour
	for _, g := range p.pool.fires() {
		if g.fire.Due.After(after) {
			late := g.at.Sub(g.fire.Due)
			n, least, most = n+1, min(least, late), max(most, late)
		}
	}
	return n, least, most
}

// TestALeaderSpreadsWhatItPlans checks that each node hands over its part, all in time and each due
// time once.
func TestALeaderSpreadsWhatItPlans(t *testing.T) {
	for by, least := range map[xxladapter.Spread]int{xxladapter.SpreadHash: 20, xxladapter.SpreadRandom: 20, xxladapter.SpreadRound: 30} {
		inBubble(t, func(b *fixture) {
			start := time.Now()
			b.everySecond()
			w, peers := b.spreading(by, "one", "two", "three")
			time.Sleep(8 * time.Second)
			settled, before := time.Now(), w.count()
			time.Sleep(10*time.Second + time.Millisecond)
			for _, p := range peers {
				n, _, late := p.fired(settled)
				require.GreaterOrEqual(t, n, 10*least, by)
				require.LessOrEqual(t, late, ringLate, by)
			}
			require.LessOrEqual(t, w.count()-before, 2*11, "one hint for each node and scan")
			sent, received := peers[0].Stats().Spread, peers[1].Stats().Spread.Received+peers[2].Stats().Spread.Received
			require.Equal(t, sent.Sent, received)
			require.Zero(t, sent.Kept)
			require.Zero(t, peers[1].Stats().Spread.Sent)
			b.judge(start, peers...)
		})
	}
}

func TestALeaderThatSpreadsNothingSendsNothing(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		w, peers := b.spreading(xxladapter.SpreadNone, "one", "two")
		time.Sleep(5 * time.Second)
		require.Zero(t, w.count())
		require.Empty(t, peers[1].pool.fires())
		b.judge(start, peers...)
	})
}

// TestFiresThatANodeRefusesStayWithTheLeader checks that the leader fires them in time, and asks
// the node rarely.
func TestFiresThatANodeRefusesStayWithTheLeader(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		w, peers := b.spreading(xxladapter.SpreadHash, "one", "two", "three")
		time.Sleep(8 * time.Second)
		w.breakTo("two", func() error { return errors.New("refused") })
		broken, before := time.Now(), peers[0].Stats().Spread.Sent
		time.Sleep(9 * time.Second)
		n, _, _ := peers[1].fired(broken.Add(DefaultWindow + time.Second))
		require.Zero(t, n)
		for _, p := range peers {
			_, _, late := p.fired(broken)
			require.LessOrEqual(t, late, ringLate)
		}
		kept := peers[0].Stats().Spread.Kept
		require.NotZero(t, kept)
		require.LessOrEqual(t, kept, int64(2*spreadJobs), "at two scans, firstBackOff apart")
		require.NotEqual(t, before, peers[0].Stats().Spread.Sent, "the other node gets its part")
		w.breakTo("two", nil)
		time.Sleep(12 * time.Second)
		healed := time.Now()
		time.Sleep(3 * time.Second)
		n, _, _ = peers[1].fired(healed)
		require.NotZero(t, n, "it takes fires again")
		b.judge(start, peers...)
	})
}

// TestFiresWhoseHintIsLostAreArmedASecondLate checks that they are not armed sooner: the sender
// believes that they have arrived.
func TestFiresWhoseHintIsLostAreArmedASecondLate(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		w, peers := b.spreading(xxladapter.SpreadHash, "one", "two")
		time.Sleep(8 * time.Second)
		w.breakTo("two", func() error { return nil })
		time.Sleep(DefaultWindow + 2*time.Second)
		lost := time.Now()
		time.Sleep(5 * time.Second)
		late := 0
		for _, p := range peers {
			for _, g := range p.pool.fires() {
				since := g.at.Sub(g.fire.Due)
				if g.fire.Due.Before(lost) || since <= ringLate {
					continue
				}
				late++
				require.GreaterOrEqual(t, since, orphanAge)
				require.LessOrEqual(t, since, orphanAge+overduePace+2*ringLate)
			}
		}
		require.Greater(t, late, 3*spreadJobs/3, "the part of the other node")
		b.judge(start, peers...)
	})
}

// TestANodeThatDrainsGetsNoFires checks a node that was drained and one that stops.
func TestANodeThatDrainsGetsNoFires(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		_, peers := b.spreading(xxladapter.SpreadRound, "one", "two", "three")
		time.Sleep(8 * time.Second)
		term, _ := peers[1].Term()
		require.NoError(t, b.store.Retire(b.t.Context(), term, xxladapter.MoveDrained))
		time.Sleep(2 * leasePace)
		received, drained := peers[1].Stats().Spread.Received, time.Now()
		time.Sleep(DefaultWindow + 2*time.Second)
		require.Equal(t, received, peers[1].Stats().Spread.Received)
		stopped := time.Now()
		peers[2].stop()
		time.Sleep(8 * time.Second)
		for i, p := range peers {
			_, _, late := p.fired(drained)
			require.LessOrEqual(t, late, orphanAge+overduePace+2*ringLate, i)
		}
		n, _, _ := peers[2].fired(stopped)
		require.Zero(t, n)
		require.Same(t, peers[0], leading(t, peers[0]))
		b.judge(start, peers...)
	})
}

// TestWhatAStoppedNodeWasGivenIsInTime stops a follower: the leader sees that the node's presence
// has ended, and hands over the fires that it had given to the node.
func TestWhatAStoppedNodeWasGivenIsInTime(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		_, peers := b.spreading(xxladapter.SpreadRound, "one", "two")
		time.Sleep(8 * time.Second)
		stopped := time.Now()
		peers[1].stop()
		time.Sleep(DefaultWindow)
		n, _, late := peers[0].fired(stopped)
		require.Greater(t, n, 4*spreadJobs)
		require.LessOrEqual(t, late, ringLate)
		b.judge(start, peers...)
	})
}

// TestWhatADeadLeaderHasSpreadIsInTime checks that its followers fire what they have, whoever leads
// next.
func TestWhatADeadLeaderHasSpreadIsInTime(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		_, peers := b.spreading(xxladapter.SpreadHash, "one", "two", "three")
		time.Sleep(8 * time.Second)
		died := time.Now()
		peers[0].kill()
		time.Sleep(leaseLife + leasePace)
		next := leading(t, peers[1:]...)
		time.Sleep(6 * time.Second)
		for _, p := range peers[1:] {
			for _, g := range p.pool.fires() {
				if g.fire.Due.After(died) && g.fire.Due.Before(died.Add(leaseLife-leasePace)) {
					require.LessOrEqual(t, g.at.Sub(g.fire.Due), ringLate)
				}
			}
		}
		require.NotZero(t, next.Stats().Spread.Sent, "the next leader spreads as well")
		peers[0].revive()
		b.judge(start, peers...)
	})
}

func TestAHintThatIsNotForThisNodeIsRefused(t *testing.T) {
	inBubble(t, func(b *fixture) {
		_, peers := b.spreading(xxladapter.SpreadHash, "one", "two", "three")
		time.Sleep(2 * leasePace)
		one, _ := peers[0].Term()
		two, _ := peers[1].Term()
		hint := spread.Hint{From: one, To: two, Fires: []int64{1}}
		require.NoError(t, peers[1].TakeHint(b.t.Context(), hint))
		for reason, h := range map[string]spread.Hint{
			`fires are for node "three" in term 2, this is node "two" in term 2`: {From: one, To: xxladapter.Term{Node: "three", Number: 2}},
			`fires are for node "two" in term 1, this is node "two" in term 2`:   {From: one, To: xxladapter.Term{Node: "two", Number: 1}},
			`node "one" in term 7 holds no lease of this store`:                  {From: xxladapter.Term{Node: "one", Number: 7}, To: two},
			`node "two" in term 2 holds no lease of this store`:                  {From: two, To: two},
		} {
			require.EqualError(t, peers[1].TakeHint(b.t.Context(), h), reason)
		}
		require.EqualError(t, peers[0].TakeHint(b.t.Context(), spread.Hint{From: two, To: one}), "this node does not stand by, it takes no fires")
		for range takeLimit {
			peers[1].taking <- struct{}{}
		}
		require.ErrorIs(t, peers[1].TakeHint(b.t.Context(), hint), spread.ErrBusy)
		require.NoError(t, b.store.Retire(b.t.Context(), two, xxladapter.MoveDrained))
		time.Sleep(2 * leasePace)
		require.EqualError(t, peers[1].TakeHint(b.t.Context(), hint), "this node does not stand by, it takes no fires")
		peers[1].line.cut()
		time.Sleep(leaseLife)
		require.EqualError(t, peers[1].TakeHint(b.t.Context(), hint), "this node holds no lease, it takes no fires")
		peers[1].line.heal()
		other := b.start("four", nil)
		time.Sleep(2 * leasePace)
		four, _ := other.Term()
		require.EqualError(t, other.TakeHint(b.t.Context(), spread.Hint{From: one, To: four}), "this node is in the scheduling mode all, it takes no fires")
	})
}

// A slowReader is a line whose reads of fires by their ids wait for the test.
type slowReader struct {
	*line
	reading, answer chan struct{}
}

func (s slowReader) OpenFires(ctx context.Context, f xxladapter.FireFilter) ([]xxladapter.Fire, error) {
	if f.IDs != nil {
		close(s.reading)
		<-s.answer
	}
	return s.line.OpenFires(ctx, f)
}

// TestANodeThatStopsWhileItTakesAHintRefusesIt checks that the leader learns that it has to keep
// the fires.
func TestANodeThatStopsWhileItTakesAHintRefusesIt(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one := b.start("one", inLeaderMode)
		time.Sleep(100 * time.Millisecond)
		slow := slowReader{reading: make(chan struct{}), answer: make(chan struct{})}
		two := b.start("two", func(o *Options) {
			inLeaderMode(o)
			slow.line = o.Store.(*line)
			o.Store = slow
		})
		time.Sleep(2 * leasePace)
		from, _ := one.Term()
		to, _ := two.Term()
		taken := make(chan error, 1)
		go func() { // the test waits for it
			taken <- two.TakeHint(b.t.Context(), spread.Hint{From: from, To: to, Fires: []int64{1}})
		}()
		<-slow.reading
		two.stop()
		close(slow.answer)
		require.EqualError(t, <-taken, "this node does not stand by, it takes no fires")
	})
}

// TestAHintArmsNothingButPlannedFires sends ids of no fire, of one that is claimed, and of one that
// is due in an hour, beside one that is planned.
func TestAHintArmsNothingButPlannedFires(t *testing.T) {
	inBubble(t, func(b *fixture) {
		_, peers := b.spreading(xxladapter.SpreadHash, "one", "two")
		time.Sleep(2 * leasePace)
		one, _ := peers[0].Term()
		two, _ := peers[1].Term()
		job := b.addJob(xxladapter.ScheduleCron, "0 0 0 1 1 ?", 24*time.Hour)
		plan := func(in time.Duration) int64 {
			fires, err := b.store.PlanFires(b.t.Context(), []xxladapter.Fire{{JobID: job, Due: time.Now().Add(in), Type: xxladapter.TriggerCron}})
			require.NoError(t, err)
			return fires[0].ID
		}
		claimed, soon, far := plan(0), plan(300*time.Millisecond), plan(time.Hour)
		_, err := b.store.ClaimFire(b.t.Context(), one, claimed, []*xxladapter.Log{{JobID: job}})
		require.NoError(t, err)
		require.NoError(t, peers[1].TakeHint(b.t.Context(), spread.Hint{From: one, To: two, Fires: []int64{claimed, soon, far, far + 100}}))
		require.Equal(t, int64(1), peers[1].Stats().Spread.Received)
		require.Equal(t, 1, peers[1].Held())
		time.Sleep(400 * time.Millisecond)
		fired := peers[1].pool.fires()
		require.Len(t, fired, 1)
		require.Equal(t, soon, fired[0].fire.ID)
	})
}

// TestANodeWithoutAnAddressGetsNothing checks that no hint is sent to such a node, for example one
// of an older version.
func TestANodeWithoutAnAddressGetsNothing(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		b.everySecond()
		w, peers := b.spreading(xxladapter.SpreadRound, "one")
		peers = append(peers, b.start("two", inLeaderMode))
		time.Sleep(20 * time.Second)
		require.Zero(t, w.count())
		require.Empty(t, peers[1].pool.fires())
		b.judge(start, peers...)
	})
}

func TestASpreadNeedsAWayToSend(t *testing.T) {
	inBubble(t, func(b *fixture) {
		_, err := New(Options{Store: b.store, Pool: b.pool, Node: "n", Spread: xxladapter.SpreadHash})
		require.EqualError(t, err, "scheduler: Options.SendHint is nil, must be set to spread fires")
		_, err = New(Options{Store: b.store, Pool: b.pool, Node: "n", Spread: "wide"})
		require.EqualError(t, err, `scheduler: Options.Spread: spread is "wide", must be one of none, hash, random, round`)
	})
}
