package storetest

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var groupRules = []rule{
	{"AManualGroupKeepsItsAddressesAsTyped", func(b *fixture) {
		g := &xxladapter.Group{
			AppName: "manual-app", Title: "手动", AddressType: xxladapter.AddressManual,
			Addresses: []string{"http://b:1", "http://a:1"},
		}
		id, err := b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		b.NoError(b.store.Register(b.ctx, "manual-app", "http://c:1"))

		got, err := b.store.Group(b.ctx, id)
		b.NoError(err)
		want := *g
		want.ID, want.Updated = id, second(epoch)
		b.Equal(&want, got)
	}},
	{"AnAutomaticGroupsAddressesAreNotTaken", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		_, err := b.store.SaveGroup(
			b.ctx, &xxladapter.Group{ID: b.group, AppName: app, Title: "new", Addresses: []string{"http://typed:1"}},
		)
		b.NoError(err)
		b.Equal([]string{"http://a:1"}, b.addresses())
	}},
	{"AGroupThatBecomesAutomaticIsComputedAtOnce", func(b *fixture) {
		g := &xxladapter.Group{
			ID: b.group, AppName: app, Title: "t", AddressType: xxladapter.AddressManual,
			Addresses: []string{"http://typed:1"},
		}
		_, err := b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.Equal([]string{"http://typed:1"}, b.addresses())
		g.AddressType = xxladapter.AddressAuto
		_, err = b.store.SaveGroup(b.ctx, g)
		b.NoError(err)
		b.Equal([]string{"http://a:1"}, b.addresses())
	}},
	{"ANewAppNameBringsItsOwnAddresses", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://old:1"))
		b.NoError(b.store.Register(b.ctx, "renamed-app", "http://new:1"))
		_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: b.group, AppName: "renamed-app", Title: "t"})
		b.NoError(err)
		b.Equal([]string{"http://new:1"}, b.addresses())
	}},
	{"SaveGroupUpdatesAndReturnsTheSameID", func(b *fixture) {
		b.clock.Advance(time.Minute)
		id, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: b.group, AppName: app, Title: "changed"})
		b.NoError(err)
		b.Equal(b.group, id)
		g, err := b.store.Group(b.ctx, id)
		b.NoError(err)
		b.Equal(&xxladapter.Group{ID: id, AppName: app, Title: "changed", Updated: second(epoch.Add(time.Minute))}, g)
	}},
	{"SaveGroupRefusesATakenAppName", func(b *fixture) {
		_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{AppName: app, Title: "second"})
		b.ErrorIs(err, xxladapter.ErrConflict)
		other := b.addGroup("another-app")
		_, err = b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: other, AppName: app, Title: "third"})
		b.ErrorIs(err, xxladapter.ErrConflict)
		g, err := b.store.Group(b.ctx, other)
		b.NoError(err)
		b.Equal("another-app", g.AppName)
	}},
	{"SaveGroupRefusesAChangeOfAnotherState", func(b *fixture) {
		read := func() *xxladapter.Group {
			g, err := b.store.Group(b.ctx, b.group)
			b.NoError(err)
			return g
		}
		save := func(base *xxladapter.Group, change func(*xxladapter.Group)) error {
			g := *base
			g.Base = base
			change(&g)
			_, err := b.store.SaveGroup(b.ctx, &g)
			return err
		}
		title := func(text string) func(*xxladapter.Group) { return func(g *xxladapter.Group) { g.Title = text } }
		manual := func(addresses ...string) func(*xxladapter.Group) {
			return func(g *xxladapter.Group) { g.AddressType, g.Addresses = xxladapter.AddressManual, addresses }
		}
		first := read()
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(save(first, title("registrations are no edits")))
		b.Nil(read().Base)
		b.ErrorIs(save(first, title("second")), xxladapter.ErrConflict)
		b.Equal("registrations are no edits", read().Title)

		before := read()
		b.NoError(save(before, manual("http://b:1", "http://a:1")))
		b.ErrorIs(save(before, title("second")), xxladapter.ErrConflict)
		before = read()
		b.NoError(save(before, manual("http://a:1", "http://b:1")))
		b.ErrorIs(save(before, title("the order is an edit")), xxladapter.ErrConflict)
		before = read()
		b.NoError(save(before, func(g *xxladapter.Group) { g.AccessToken = "a new token" }))
		b.ErrorIs(save(before, title("second")), xxladapter.ErrConflict)
		b.Equal("a new token", read().AccessToken)
		b.NoError(save(read(), title("third")))
		_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: b.group, AppName: app, Title: "without a condition"})
		b.NoError(err)
	}},
	{"SaveGroupNeedsTheGroupThatItNames", func(b *fixture) {
		_, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{ID: b.group + 1, AppName: "no-such-app", Title: "t"})
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"AGroupKeepsItsAccessTokenUntilItIsSavedWithout", func(b *fixture) {
		token := func() string {
			g, err := b.store.Group(b.ctx, b.group)
			b.NoError(err)
			groups, err := b.store.Groups(b.ctx)
			b.NoError(err)
			b.Equal(g, groups[0])
			return g.AccessToken
		}
		b.Empty(token())
		for _, want := range []string{"a-first-token", "a-second-token", ""} {
			_, err := b.store.SaveGroup(
				b.ctx, &xxladapter.Group{ID: b.group, AppName: app, Title: "t", AccessToken: want},
			)
			b.NoError(err)
			b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
			b.Equal(want, token())
		}
		id, err := b.store.SaveGroup(
			b.ctx, &xxladapter.Group{AppName: "token-app", Title: "t", AccessToken: "from-the-start"},
		)
		b.NoError(err)
		b.NoError(b.store.RemoveGroup(b.ctx, id))
		next := b.addGroup("token-app")
		g, err := b.store.Group(b.ctx, next)
		b.NoError(err)
		b.Empty(g.AccessToken)
	}},
	{"RemoveGroupIsRefusedWhileItHasJobs", func(b *fixture) {
		id := b.addJob("in the way")
		b.ErrorIs(b.store.RemoveGroup(b.ctx, b.group), xxladapter.ErrConflict)
		b.NoError(xxladapter.RemoveJob(b.ctx, b.store, id))
		b.NoError(b.store.RemoveGroup(b.ctx, b.group))
		b.ErrorIs(b.store.RemoveGroup(b.ctx, b.group), xxladapter.ErrNotFound)
		_, err := b.store.Group(b.ctx, b.group)
		b.ErrorIs(err, xxladapter.ErrNotFound)
	}},
	{"GroupsComeByID", func(b *fixture) {
		z, a := b.addGroup("zz-app"), b.addGroup("aa-app")
		groups, err := b.store.Groups(b.ctx)
		b.NoError(err)
		b.Len(groups, 3)
		b.Equal([]int64{b.group, z, a}, []int64{groups[0].ID, groups[1].ID, groups[2].ID})
	}},
}

var groupFullRules = []fullRule{
	{"ADrainIsNoEditOfItsGroup", func(b *fullFixture) {
		first, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.DrainExecutor(b.ctx, b.group, xxladapter.Drain{Address: "http://a:1"}))
		edit := *first
		edit.Base, edit.Title = first, "drains are no edits"
		_, err = b.store.SaveGroup(b.ctx, &edit)
		b.NoError(err)
		kept, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Equal("drains are no edits", kept.Title)
		b.Len(kept.Drains, 1)
		edit.Title = "second"
		_, err = b.store.SaveGroup(b.ctx, &edit)
		b.ErrorIs(err, xxladapter.ErrConflict)
		again, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Equal(kept, again)
	}},
}
