package storetest

import "github.com/xxlwheel/xxlwheel/xxladapter"

var zoneRules = []rule{
	{"TheFirstZoneIsAgreedAndStays", func(b *fixture) {
		for _, zone := range []string{"Asia/Shanghai", "Europe/Berlin", "Asia/Shanghai"} {
			agreed, err := b.store.AgreeZone(b.ctx, zone)
			b.NoError(err)
			b.Equal("Asia/Shanghai", agreed)
		}
	}},
	{"OneOfManyZonesIsAgreed", func(b *fixture) {
		zones := []string{"Asia/Shanghai", "Europe/Berlin", "UTC", "America/Lima"}
		var agreed [4]string
		for _, err := range race(len(zones), func(i int) (err error) {
			agreed[i], err = b.store.AgreeZone(b.ctx, zones[i])
			return err
		}) {
			b.NoError(err)
		}
		b.Contains(zones, agreed[0])
		for _, zone := range agreed {
			b.Equal(agreed[0], zone)
		}
	}},
	{"AZoneIsChangedWhileNoNodeRuns", func(b *fixture) {
		_, err := b.store.AgreeZone(b.ctx, "Asia/Shanghai")
		b.NoError(err)
		b.lease("n1", leaseLife)
		b.ErrorIs(b.store.ChangeZone(b.ctx, "Europe/Berlin"), xxladapter.ErrConflict)
		agreed, err := b.store.AgreeZone(b.ctx, "UTC")
		b.NoError(err)
		b.Equal("Asia/Shanghai", agreed)
		b.clock.Advance(leaseLife)
		b.NoError(b.store.ChangeZone(b.ctx, "Europe/Berlin"))
		agreed, err = b.store.AgreeZone(b.ctx, "UTC")
		b.NoError(err)
		b.Equal("Europe/Berlin", agreed)
	}},
}
