package trigger

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestSenselessOptionsAreRefused(t *testing.T) {
	t.Parallel()
	for want, opts := range map[string]PoolOptions{
		"trigger: PoolOptions.Fast is -1, must not be negative":    {Fast: -1},
		"trigger: PoolOptions.Slow is -2, must not be negative":    {Slow: -2, Queue: -1},
		"trigger: PoolOptions.PerApp is -3, must not be negative":  {PerApp: -3},
		"trigger: PoolOptions.Queue is -4, must not be negative":   {Queue: -4},
		"trigger: PoolOptions.Drain is -5ns, must not be negative": {Drain: -5},
	} {
		p, err := NewPool(opts)
		require.EqualError(t, err, want)
		require.Nil(t, p)
	}
	for want, opts := range map[string]ClientOptions{
		"trigger: ClientOptions.Timeout is -1ns, must not be negative":   {Timeout: -1},
		"trigger: ClientOptions.Concurrency is -2, must not be negative": {Concurrency: -2},
	} {
		c, err := NewClient(opts)
		require.EqualError(t, err, want)
		require.Nil(t, c)
	}
	all := Options{Store: memstore.New(nil), Sender: client(t, ClientOptions{}), Scheduler: &fakeScheduler{}, RunTexts: xxladapter.TextsAll}
	for want, change := range map[string]func(o *Options){
		"trigger: Options.Store is nil, must be set":                                    func(o *Options) { o.Store = nil },
		"trigger: Options.Sender is nil, must be set":                                   func(o *Options) { o.Sender = nil },
		"trigger: Options.Scheduler is nil, must be set":                                func(o *Options) { o.Scheduler = nil },
		`trigger: Options.RunTexts: texts is "some", must be one of off, failures, all`: func(o *Options) { o.RunTexts = "some" },
	} {
		opts := all
		change(&opts)
		h, err := NewHandOver(opts)
		require.EqualError(t, err, want)
		require.Nil(t, h)
	}
	_, err := NewHandOver(all)
	require.NoError(t, err)
}
