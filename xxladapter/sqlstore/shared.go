package sqlstore

import (
	"context"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/mysql"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/postgres"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sqlite"
)

type (
	// A LogServer keeps the log that several processes share in front of one store.
	LogServer = sharedlog.Server
	// A LogState is what a [LogServer] knows about its log.
	LogState = sharedlog.State
)

var (
	// ErrLogRefused is the error of [LogServer].Append by a process that may not append.
	ErrLogRefused = sharedlog.ErrRefused
	// ErrLogGap is the error of [LogServer].Read if a record is missing.
	ErrLogGap = sharedlog.ErrGap
	// ErrShared is the error of [Open] for a store whose last changes are in a shared log alone. It
	// must be opened with that log.
	ErrShared = journaled.ErrShared
)

// PenLife is how long the right to append to a log stays with a process that is silent.
const PenLife = sharedlog.Life

// SharedOptions say which log stands in front of a store.
type SharedOptions struct {
	// Log returns the log of the store with an id, which was made up when the store was first
	// opened with a log. The store closes it. Log must be set.
	Log func(id string) LogServer
	// Lossy is set if a server with another LogState.Run may lack what was confirmed. The store
	// then treats each change of Run as a loss.
	Lossy bool
	// Backlog is how many records the tables may lack before ClaimDue returns an error. The default
	// is 100,000; it must not be negative.
	Backlog int64
}

// OpenShared opens the store that place names, as [Open] does, with a log in front of it that all
// processes of the store share. What happens at each fire is durable in the log, and reaches the
// tables behind it within a second. Every call of the store sees it at once. Other programs that
// read the tables see only what has reached them.
//
// Every process of the store needs the log. On MySQL, due times are claimed in the tables as
// without a log, so a Java admin that is started by mistake takes none of them twice. OpenShared
// returns an error if it would be the first to use the log and a Java admin has run a job within 90
// seconds. A process that later finds a run of a Java admin plans nothing for 90 seconds.
func OpenShared(ctx context.Context, place string, opts Options, shared SharedOptions) (*Shared, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if shared.Backlog < 0 {
		return nil, fmt.Errorf("sqlstore: SharedOptions.Backlog is %d, must not be negative", shared.Backlog)
	}
	behind, err := openBehind(ctx, place, opts)
	if err != nil {
		return nil, err
	}
	s, err := journaled.OpenShared(ctx, behind, journaled.SharedOptions{
		Logger: database.Options(opts).WithDefaults().Logger, Log: shared.Log, Lossy: shared.Lossy,
		Backlog: shared.Backlog,
	})
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", Redacted(place), err)
	}
	return &Shared{s}, nil
}

// A Shared is a store with a shared log.
type Shared struct{ *journaled.Store }

// A Comparison says how the tables of a store differ from its log.
type Comparison = journaled.Comparison

var _ xxladapter.Store = (*Shared)(nil)

// openBehind opens the tables.
func openBehind(ctx context.Context, place string, opts Options) (*records.Store, error) {
	kind, rest, _ := strings.Cut(place, ":")
	_, journal := cutJournal(rest)
	switch {
	case kind == "sqlite" && rest != "" && journal == "":
		return sqlite.Open(ctx, rest, database.Options(opts))
	case kind == "postgres" || kind == "postgresql":
		return postgres.Open(ctx, place, database.Options(opts))
	case kind == "mysql":
		return mysql.Open(ctx, place, database.Options(opts))
	}
	return nil, xxladapter.Invalidf(errorrule.StorePlace,
		"%s is %q, must be postgres:// or mysql:// and USER:PASSWORD@HOST:PORT/DATABASE to have a shared log",
		"store", Redacted(place))
}
