package storetest

import "github.com/xxlwheel/xxlwheel/xxladapter"

var descriptionRules = []fullRule{
	{"AStoreSaysWhatItIs", func(b *fullFixture) {
		d, err := b.store.Describe(b.ctx)
		b.NoError(err)
		b.Contains(xxladapter.StoreKind("").Values(), d.Kind)
		if d.Kind == xxladapter.StoreMemory {
			b.Equal(xxladapter.StoreDescription{Kind: xxladapter.StoreMemory}, d)
			return
		}
		b.Regexp(`^\d+\.\d+`, d.Version)
		b.GreaterOrEqual(d.Schema, int64(17))
	}},
}
