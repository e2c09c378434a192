package scheduler

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// presence is what a line does with the presence of its node.
type presence struct {
	mu   sync.Mutex // guards the fields below
	dead bool       // each call of the node fails
	drop func()     // ends the connection that shows it; nil means that there is none
	none bool       // the node cannot show its presence
}

func (p *presence) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// end ends the connection that shows presence, and all calls if the node dies.
func (p *presence) end(dies bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead = p.dead || dies
	if p.drop != nil {
		p.drop()
	}
}

func (l *line) HoldPresence(ctx context.Context, term xxladapter.Term) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	l.presence.mu.Lock()
	l.presence.drop = cancel
	dead, none := l.presence.dead, l.presence.none
	l.presence.mu.Unlock()
	if dead {
		return errors.New("dead")
	}
	if none {
		return errors.ErrUnsupported
	}
	return l.Store.HoldPresence(ctx, term)
}

func (l *line) ClaimDue(ctx context.Context, by xxladapter.Term, ahead time.Duration, limit int,
	decide func(now time.Time, due []*xxladapter.Job) []xxladapter.Decision,
) ([]xxladapter.Fire, int, error) {
	if l.presence.isDead() {
		return nil, 0, errors.New("dead")
	}
	return l.Store.ClaimDue(ctx, by, ahead, limit, decide)
}

// kill lets a node do nothing more, as if its process had ended: its presence ends, and its lease
// does not.
func (p *peer) kill() {
	p.line.cut()
	p.pool.setFull(true)
	p.line.presence.end(true)
}

// revive lets the test end the loops of a killed node.
func (p *peer) revive() {
	p.line.heal()
	p.stop()
}

// latest returns the largest lateness of the fires of a node after since.
func (p *peer) latest(since time.Time) (late time.Duration) {
	for _, g := range p.pool.fires() {
		if g.at.After(since) {
			late = max(late, g.at.Sub(g.fire.Due))
		}
	}
	return late
}

// TestTheFiresOfADeadNodeAreTakenOverAtOnce kills one node of three, and two at the same time: what
// they had planned is not late, although their leases hold for seconds.
func TestTheFiresOfADeadNodeAreTakenOverAtOnce(t *testing.T) {
	for dying := 1; dying <= 2; dying++ {
		for offset := time.Duration(0); offset < leasePace; offset += leasePace / 8 {
			inBubble(t, func(b *fixture) {
				start := time.Now()
				for i := range xxladapter.Partitions { // due once, from the death on
					b.addJob(xxladapter.ScheduleCron, "0 0 0 1 1 ?", 10*time.Second+offset+7*time.Millisecond+time.Duration(i)*leaseLife/xxladapter.Partitions)
				}
				for range xxladapter.Partitions {
					b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
				}
				nodes := []*peer{b.start("one", nil), b.start("two", nil), b.start("three", nil)}
				time.Sleep(10*time.Second + offset)
				died := time.Now()
				for _, p := range nodes[:dying] {
					require.Greater(t, p.Stats().Partitions.Len(), 20)
					p.kill()
				}
				time.Sleep(2*leaseLife + 60*time.Millisecond) // so that nothing is due when the nodes stop
				late := time.Duration(0)
				for _, p := range nodes[dying:] {
					late = max(late, p.latest(died))
				}
				require.LessOrEqual(t, late, ringLate, "%d nodes died at %v", dying, offset)
				for _, p := range nodes[:dying] {
					require.Zero(t, p.latest(died))
					p.revive()
				}
				for _, p := range nodes {
					p.stop()
				}
				seen := dues(t, nodes...)
				for i := range 17 {
					require.Equal(t, xxladapter.Partitions, seen[start.Truncate(time.Second).Add(time.Duration(i+1)*time.Second).UnixMilli()], "second %d", i+1)
				}
			})
		}
	}
}

// TestFalseHintsChangeNothing cuts the connection of some living node's presence many times, in a
// soak a thousand times. All terms and partitions stay, and each due time fires once and in time.
func TestFalseHintsChangeNothing(t *testing.T) {
	inBubble(t, func(b *fixture) {
		start := time.Now()
		for range xxladapter.Partitions {
			b.addJob(xxladapter.ScheduleCron, "0/5 * * * * ?", 5*time.Second)
		}
		nodes := []*peer{b.start("one", nil), b.start("two", nil), b.start("three", nil)}
		time.Sleep(10 * time.Second)
		settled := time.Now()
		var before []Stats
		for _, p := range nodes {
			before = append(before, p.Stats())
		}
		rnd := rand.New(rand.NewPCG(1, 2))
		wanted := int64(200)
		if testserver.Soak() {
			wanted = 1000
		}
		hints := func() (n int64) {
			for _, p := range nodes {
				n += p.Stats().PresencesEnded
			}
			return n
		}
		for from := hints(); hints() < from+wanted; {
			nodes[rnd.IntN(3)].line.presence.end(false)
			time.Sleep(time.Duration(rnd.Int64N(int64(2 * time.Second))))
		}
		for i, p := range nodes {
			now := p.Stats()
			require.Equal(t, before[i].Term, now.Term)
			require.Equal(t, before[i].Partitions, now.Partitions)
			require.Equal(t, int64(1), now.Terms)
			require.Zero(t, now.Fenced)
			require.LessOrEqual(t, p.latest(settled), ringLate)
		}
		time.Sleep(time.Until(time.Now().Truncate(5 * time.Second).Add(7500 * time.Millisecond))) // when nothing is due
		lasted := time.Since(start)
		for _, p := range nodes {
			p.stop()
		}
		seen := dues(t, nodes...)
		for i := range int(lasted / (5 * time.Second)) {
			require.Equal(t, xxladapter.Partitions, seen[start.Truncate(time.Second).Add(time.Duration(i+1)*5*time.Second).UnixMilli()], "due time %d", i+1)
		}
	})
}

// TestAStoppedNodesPartitionsMoveAtOnce checks that the partitions do not wait for the next renewal
// of another node.
func TestAStoppedNodesPartitionsMoveAtOnce(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one, two := b.start("one", nil), b.start("two", nil)
		time.Sleep(10*time.Second + 100*time.Millisecond) // between two renewals
		ended := two.Stats().PresencesEnded
		one.stop()
		synctest.Wait()
		require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions)
		require.Equal(t, ended, two.Stats().PresencesEnded)
	})
}

// TestANodeWithoutPresenceIsSuspectedRarely checks that such a node is suspected about once a
// minute.
func TestANodeWithoutPresenceIsSuspectedRarely(t *testing.T) {
	inBubble(t, func(b *fixture) {
		one := b.start("one", nil)
		b.start("two", func(o *Options) { o.Store.(*line).presence.none = true })
		time.Sleep(time.Hour)
		suspected := one.Stats().PresencesEnded
		require.GreaterOrEqual(t, suspected, int64(58))
		require.LessOrEqual(t, suspected, int64(61))
	})
}

func TestEachNodeWatchesTheOneBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		term := func(number int64) xxladapter.Term { return xxladapter.Term{Node: "n", Number: number} }
		r := newRoster()
		watched := func() int64 { term, _ := r.watched(); return term.Number }
		require.Zero(t, watched())
		r.set(term(5), nil)
		require.Zero(t, watched(), "alone")
		r.set(term(5), []xxladapter.Term{term(2), term(3), term(7), term(9)})
		require.Equal(t, int64(3), watched())
		r.ignore(term(3), time.Minute)
		require.Equal(t, int64(2), watched())
		r.ignore(term(2), time.Minute)
		require.Equal(t, int64(9), watched(), "around the ring")
		r.ignore(term(9), time.Minute)
		r.ignore(term(7), time.Minute)
		require.Zero(t, watched())
		time.Sleep(time.Minute)
		r.set(term(5), []xxladapter.Term{term(2), term(3), term(7)})
		require.Equal(t, int64(3), watched(), "it lives")
		require.False(t, r.stillSilent(term(3), false))
		r.set(term(5), []xxladapter.Term{term(2)})
		require.Empty(t, r.silent, "its term is over")
		r.set(xxladapter.Term{}, []xxladapter.Term{term(2)})
		require.Zero(t, watched(), "it takes no part itself")
	})
}

// TestADrainedNodeTakesNothing checks that a drained node takes nothing of a node that dies: an
// operator has taken its partitions away, and its lease holds.
func TestADrainedNodeTakesNothing(t *testing.T) {
	inBubble(t, func(b *fixture) {
		for range xxladapter.Partitions {
			b.addJob(xxladapter.ScheduleCron, "* * * * * ?", time.Second)
		}
		one, two, three := b.start("one", nil), b.start("two", nil), b.start("three", nil)
		time.Sleep(10 * time.Second)
		drained, _ := one.Term()
		require.NoError(t, b.store.Retire(b.t.Context(), drained, xxladapter.MoveDrained))
		time.Sleep(leasePace + time.Millisecond)
		require.Zero(t, one.Stats().Partitions)
		require.Equal(t, xxladapter.AllPartitions, two.Stats().Partitions|three.Stats().Partitions)
		look, cancel := context.WithTimeout(b.t.Context(), time.Second)
		defer cancel()
		_, err := b.store.AwaitAbsence(look, drained)
		require.NoError(t, err, "it still holds its presence")
		died := time.Now()
		two.kill()
		time.Sleep(3*leaseLife + leasePace/2) // so that nothing is due when the nodes stop
		require.Equal(t, xxladapter.AllPartitions, three.Stats().Partitions)
		require.LessOrEqual(t, three.latest(died), ringLate)
		for _, g := range one.pool.fires() {
			require.False(t, g.at.After(died), "drained")
		}
		term, ok := one.Term()
		require.True(t, ok)
		require.Equal(t, drained, term)
		two.revive()
	})
}
