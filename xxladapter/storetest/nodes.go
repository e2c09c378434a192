package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const nodeLife = 10 * time.Second

func (b *bench) beat(node string) []string {
	b.Helper()
	dead, err := b.store.BeatNode(b.ctx, node, nodeLife)
	b.NoError(err)
	return dead
}

var nodeRules = []rule{
	{"ANodeLivesItsWholeLife", func(b *bench) {
		b.Empty(b.beat("n1"))
		b.clock.Advance(nodeLife)
		b.Empty(b.beat("n2"))
		b.clock.Advance(time.Millisecond)
		b.Equal([]string{"n1"}, b.beat("n2"))
	}},
	{"ABeatKeepsANodeAlive", func(b *bench) {
		b.beat("n1")
		b.clock.Advance(6 * time.Second)
		b.beat("n1")
		b.clock.Advance(6 * time.Second)
		b.Empty(b.beat("n2"))
	}},
	{"ASilentNodeIsNamedUntilItHasNoFireLeft", func(b *bench) {
		id := b.addJob("job")
		b.beat("n1")
		b.beat("n3")
		fire := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)[0]
		b.clock.Advance(time.Minute)
		b.Equal([]string{"n1", "n3"}, b.beat("n2"))
		b.Equal([]string{"n1"}, b.beat("n2"), "n3 has nothing left and is forgotten")

		b.NoError(b.store.TakeOver(b.ctx, fire.ID, "n1", "n2"))
		b.Equal([]string{"n1"}, b.beat("n2"))
		b.Empty(b.beat("n2"))
	}},
	{"ANodeThatClaimsWithoutABeatIsMissedAsWell", func(b *bench) {
		id := b.addJob("job")
		fire := b.claim(b.plan(id, at(0), xxladapter.TriggerCron), "n1", 1)[0]
		b.Empty(b.beat("n2"))
		b.clock.Advance(time.Minute)
		b.Equal([]string{"n1"}, b.beat("n2"))
		b.NoError(b.store.TakeOver(b.ctx, fire.ID, "n1", "n4"))
		b.clock.Advance(time.Minute)
		b.Equal([]string{"n1", "n4"}, b.beat("n2"))
	}},
}
