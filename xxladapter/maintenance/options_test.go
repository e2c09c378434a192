package maintenance

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A service refuses to run without what it needs. Without a logger it logs to slog's default.
func TestServicesNameTheOptionThatIsMissing(t *testing.T) {
	t.Parallel()
	store := memstore.New(nil)
	beat := func(context.Context, string, string) error { return nil }
	tells := func(context.Context, string, string, []*xxladapter.Log) ([]wire.Callback, error) { return nil, nil }
	complete := func(context.Context, []wire.Callback) error { return nil }
	fetch := func(context.Context, string, string, wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, nil
	}
	purge := func(p *Purger) func(context.Context) error {
		return func(ctx context.Context) error {
			_, _, err := p.Purge(ctx, xxladapter.LogPurge{}, 0)
			return err
		}
	}
	for want, run := range map[string]func(context.Context) error{
		"Registry.Store is nil, must be set":                   (&Registry{}).Run,
		"Lost.Store is nil, must be set":                       (&Lost{}).Run,
		"Lost.Beat is nil, must be set":                        (&Lost{Store: store}).Run,
		"Lost.Ended is nil, must be set":                       (&Lost{Store: store, Beat: beat}).Run,
		"Lost.Complete is nil, must be set":                    (&Lost{Store: store, Beat: beat, Ended: tells}).Run,
		"Lost.Lose is nil, must be set":                        (&Lost{Store: store, Beat: beat, Ended: tells, Complete: complete}).Run,
		"Stuck.Store is nil, must be set":                      (&Stuck{}).Run,
		"Waiting.Store is nil, must be set":                    (&Waiting{}).Run,
		"Reports.Store is nil, must be set":                    (&Reports{}).Run,
		"Stats.Store is nil, must be set":                      (&Stats{}).Run,
		"Texts.Store is nil, must be set":                      (&Texts{}).Run,
		"Texts.Fetch is nil, must be set":                      (&Texts{Store: store}).Run,
		"Texts.Limit is -1, must not be negative":              (&Texts{Store: store, Fetch: fetch, Limit: -1}).Run,
		"Retention.Store is nil, must be set":                  (&Retention{}).Run,
		"Retention.KeepSuccesses is -1s, must not be negative": (&Retention{Store: store, KeepSuccesses: -time.Second}).Run,
		"NewBackfills's store is nil, must be set":             NewBackfills(nil, nil, nil, nil).Run,
		"NewBackfills's planned is nil, must be set":           NewBackfills(store, nil, nil, nil).Run,
		"NewBackfills's fit is nil, must be set":               NewBackfills(store, func([]xxladapter.Fire) {}, nil, nil).Run,
		"Purger.Store is nil, must be set":                     purge(&Purger{}),
	} {
		require.EqualError(t, run(t.Context()), "maintenance: "+want)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	require.NoError(t, (&Registry{Store: store}).Run(ended), "it logs to slog's default")
}
