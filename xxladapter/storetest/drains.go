package storetest

import (
	"context"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// drained returns the addresses of the fixture's group that are drained now.
func (b *fixture) drained() (addresses []string) {
	b.Helper()
	g, err := b.store.Group(b.ctx, b.group)
	b.NoError(err)
	for _, d := range g.DrainsAt(b.clock.Now()) {
		addresses = append(addresses, d.Address)
	}
	return addresses
}

var drainRules = []fullRule{
	{"ADrainIsShownWithItsGroup", func(b *fullFixture) {
		other := b.addGroup("another-app")
		d := xxladapter.Drain{Address: "http://b:1", Note: "升级", By: "root", Until: epoch.Add(time.Hour)}
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, d))
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://a:1"}))
		milli := func(t time.Time) time.Time { return time.UnixMilli(t.UnixMilli()).UTC() }
		d.Since, d.Until = milli(epoch), milli(d.Until)
		want := []xxladapter.Drain{{Address: "http://a:1", Since: milli(epoch)}, d}
		g, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Equal(want, g.Drains)
		g.Drains[0].Address = "scribble"
		groups, err := b.store.Groups(b.ctx)
		b.NoError(err)
		b.Equal(want, groups[0].Drains)
		b.Equal(other, groups[1].ID)
		b.Nil(groups[1].Drains)
	}},
	{"ADrainSurvivesBeatsAndSavesAndEndsWhenItIsUndone", func(b *fullFixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://a:1", Note: "first"}))
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://a:1", Note: "second"}))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Unregister(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: b.group, AppName: app, Title: "renamed"})
		b.NoError(err)
		g, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Len(g.Drains, 1)
		b.Equal("second", g.Drains[0].Note)
		b.Empty(g.Undrained(g.Addresses, b.clock.Now()))
		b.NoError(b.store.UndrainExecutor(b.ctx, b.group, "http://a:1"))
		b.Empty(b.drained())
		b.ErrorIs(b.store.UndrainExecutor(b.ctx, b.group, "http://a:1"), xxladapter.ErrNotFound)
	}},
	{"ADrainEndsByItself", func(b *fullFixture) {
		b.NoError(b.store.DrainExecutor(
			b.ctx, b.group, xxladapter.Drain{Address: "http://a:1", Until: epoch.Add(time.Minute)},
		))
		b.clock.Advance(time.Minute - 2*time.Millisecond)
		b.Equal([]string{"http://a:1"}, b.drained())
		b.clock.Advance(2 * time.Millisecond)
		b.Empty(b.drained())
		b.ErrorIs(b.store.UndrainExecutor(b.ctx, b.group, "http://a:1"), xxladapter.ErrNotFound)
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://b:1"}))
		g, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Len(g.Drains, 1, "what has ended is dropped by the next change")
	}},
	{"DrainsOfAGroupThatIsGoneAreGone", func(b *fullFixture) {
		id := b.addGroup("another-app")
		b.NoError(b.store.DrainExecutor(b.ctx, id, xxladapter.Drain{Address: "http://a:1"}))
		b.NoError(b.store.RemoveGroup(b.ctx, id))
		next := b.addGroup("another-app")
		g, err := b.store.Group(b.ctx, next)
		b.NoError(err)
		b.Nil(g.Drains)
		b.ErrorIs(b.store.DrainExecutor(b.ctx, absent, xxladapter.Drain{Address: "http://a:1"}), xxladapter.ErrNotFound)
		b.ErrorIs(b.store.UndrainExecutor(b.ctx, absent, "http://a:1"), xxladapter.ErrNotFound)
	}},
	{"DrainsAtOnceAreAllKept", func(b *fullFixture) {
		const n = 8
		for _, err := range race(n, func(i int) error {
			return b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: fmt.Sprintf("http://a%d:1", i)})
		}) {
			b.NoError(err)
		}
		b.Len(b.drained(), n)
	}},
	{"DrainsBeyondTheLimitAreRefused", func(b *fullFixture) {
		address := func(i int) string { return fmt.Sprintf("http://a%04d:1", i) }
		drain := func(ctx context.Context, i int) error {
			return b.store.DrainExecutor(ctx, b.group, xxladapter.Drain{Address: address(i)})
		}
		var want []string
		for i := range xxladapter.MaxDrains {
			b.NoError(drain(b.ctx, i)) // without a call, which would be audited
			want = append(want, address(i))
		}
		audited := xxladapter.WithCall(b.ctx, "POST /api/v1/groups/{id}/drain")
		err := drain(audited, xxladapter.MaxDrains)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.ErrorContains(err, "1000 addresses of the group are drained, must be at most 1000")
		b.Equal(want, b.drained())
		rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{})
		b.NoError(err)
		b.Empty(rows)

		b.NoError(drain(b.ctx, 1), "the limit counts other addresses")
		b.Equal(want, b.drained())
		b.NoError(b.store.UndrainExecutor(b.ctx, b.group, address(0)))
		b.NoError(drain(b.ctx, xxladapter.MaxDrains))
		b.Equal(append(want[1:], address(xxladapter.MaxDrains)), b.drained())
	}},
	{"ADrainIsAudited", func(b *fullFixture) {
		ctx := xxladapter.WithCall(b.ctx, "POST /api/v1/groups/{id}/drain")
		b.NoError(b.store.DrainExecutor(ctx, b.group, xxladapter.Drain{Address: "http://a:1", Note: "upgrade"}))
		b.NoError(b.store.UndrainExecutor(ctx, b.group, "http://a:1"))
		rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{})
		b.NoError(err)
		b.Len(rows, 2)
		for _, r := range rows {
			b.Equal(b.group, r.Object.GroupID)
			b.Len(r.Changes, 1)
			b.Equal("drains", r.Changes[0].Field)
		}
		b.Contains(string(rows[0].Changes[0].After), "upgrade")
		b.Contains(string(rows[1].Changes[0].Before), "upgrade")
	}},
}
