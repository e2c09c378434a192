package storetest

import (
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

var registryRules = []rule{
	{"ARegisteredAddressIsInItsGroupAtOnce", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://b:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1/"))
		b.NoError(b.store.Register(b.ctx, "another-app", "http://c:1"))
		b.Equal([]string{"http://a:1/", "http://b:1"}, b.addresses(), "sorted, and as the executor sent them")
	}},
	{"ABeatThatChangesNothingLeavesTheGroupAlone", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.clock.Advance(30 * time.Second)
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		g, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Equal([]string{"http://a:1"}, g.Addresses)
		b.Equal(second(epoch), g.Updated)
	}},
	{"AChangedGroupIsUpdatedNow", func(b *fixture) {
		b.clock.Advance(30 * time.Second)
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		g, err := b.store.Group(b.ctx, b.group)
		b.NoError(err)
		b.Equal(second(epoch.Add(30*time.Second)), g.Updated)
	}},
	{"AnAppNameWithoutAGroupIsKeptForTheDayItGetsOne", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, "early-app", "http://a:1"))
		g, err := b.store.Group(b.ctx, b.addGroup("early-app"))
		b.NoError(err)
		b.Equal([]string{"http://a:1"}, g.Addresses)
	}},
	{"AnAppNameInOtherLettersIsAnotherApp", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Register(b.ctx, strings.ToUpper(app), "http://b:1"))
		b.Equal([]string{"http://a:1"}, b.addresses())
		list, err := b.store.Registrations(b.ctx, app)
		b.NoError(err)
		b.Equal([]xxladapter.Registration{{AppName: app, Address: "http://a:1", Updated: second(epoch)}}, list)
		b.NoError(b.store.Unregister(b.ctx, app, "http://a:1"))
		b.Nil(b.addresses())
	}},
	{"UnregisterForgetsAtOnce", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://b:1"))
		b.NoError(b.store.Unregister(b.ctx, app, "http://a:1"))
		b.Equal([]string{"http://b:1"}, b.addresses())
		b.NoError(b.store.Unregister(b.ctx, app, "http://b:1"))
		b.Nil(b.addresses())
		b.NoError(b.store.Unregister(b.ctx, app, "http://unknown:1"))
		b.NoError(b.store.Unregister(b.ctx, "unknown-app", "http://a:1"))
	}},
	{"RegistrationsAreListedWithTheirLastBeat", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://b:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Register(b.ctx, "another-app", "http://c:1"))
		b.clock.Advance(30 * time.Second)
		b.NoError(b.store.Register(b.ctx, app, "http://b:1"))
		list, err := b.store.Registrations(b.ctx, app)
		b.NoError(err)
		b.Equal([]xxladapter.Registration{
			{AppName: app, Address: "http://a:1", Updated: second(epoch)},
			{AppName: app, Address: "http://b:1", Updated: second(epoch.Add(30 * time.Second))},
		}, list)
	}},
	{"ARegistrationLivesItsWholeLife", func(b *fixture) {
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.clock.Advance(xxladapter.RegistrationLife)
		expired, err := b.store.ExpireRegistrations(b.ctx, xxladapter.RegistrationLife, true)
		b.NoError(err)
		b.Empty(expired)
		b.Equal([]string{"http://a:1"}, b.addresses())
	}},
	{"ExpireRegistrationsForgetsAndReturnsTheSilent", func(b *fixture) {
		other := b.addGroup("another-app")
		b.NoError(b.store.Register(b.ctx, app, "http://b:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://a:1"))
		b.NoError(b.store.Register(b.ctx, "another-app", "http://a:1"))
		b.NoError(b.store.Register(b.ctx, app, "http://alive:1"))
		b.clock.Advance(60 * time.Second)
		b.NoError(b.store.Register(b.ctx, app, "http://alive:1"))
		b.clock.Advance(32 * time.Second)

		expired, err := b.store.ExpireRegistrations(b.ctx, 90*time.Second, true)
		b.NoError(err)
		b.Equal([]xxladapter.Registration{
			{AppName: "another-app", Address: "http://a:1", Updated: second(epoch)},
			{AppName: app, Address: "http://a:1", Updated: second(epoch)},
			{AppName: app, Address: "http://b:1", Updated: second(epoch)},
		}, expired)
		b.Equal([]string{"http://alive:1"}, b.addresses())
		g, err := b.store.Group(b.ctx, other)
		b.NoError(err)
		b.Nil(g.Addresses)

		expired, err = b.store.ExpireRegistrations(b.ctx, 90*time.Second, true)
		b.NoError(err)
		b.Empty(expired)
	}},
	{"ExpireRegistrationsSparesTheQueue", func(b *fixture) {
		const queued, almost = "nats://" + app + "/e1", "nats://" + app + "/e 1"
		for _, address := range []string{queued, almost, "http://a:1"} {
			b.NoError(b.store.Register(b.ctx, app, address))
		}
		b.clock.Advance(92 * time.Second)
		expired, err := b.store.ExpireRegistrations(b.ctx, 90*time.Second, false)
		b.NoError(err)
		b.Equal([]xxladapter.Registration{
			{AppName: app, Address: "http://a:1", Updated: second(epoch)},
			{AppName: app, Address: almost, Updated: second(epoch)},
		}, expired)
		b.Equal([]string{queued}, b.addresses())

		expired, err = b.store.ExpireRegistrations(b.ctx, 90*time.Second, true)
		b.NoError(err)
		b.Equal([]xxladapter.Registration{{AppName: app, Address: queued, Updated: second(epoch)}}, expired)
		b.Nil(b.addresses())
	}},
}
