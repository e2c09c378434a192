package admin

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// Info is what a process is and how it was started. It contains no secrets.
type Info struct {
	// Version and Revision name the sources that the program was built from; empty means unknown.
	Version, Revision string
	Go                string // the Go release
	Node              string // the name of the process among its store's schedulers
	// Metrics and Console say whether the process serves them.
	Metrics, Console bool
	// Alarms are the names of the channels on which failures are reported.
	Alarms []string
	// KeepLogs, KeepAudit and KeepStats are how long rows are kept; 0 means forever. KeepSuccesses
	// is how long successful runs are kept if their job keeps failures only; it is never 0.
	KeepLogs, KeepSuccesses, KeepAudit, KeepStats time.Duration
	RunTexts                                      xxladapter.TextPolicy
	// FastPool, SlowPool and PoolPerApp limit how many fires are handed over at once; a PoolPerApp
	// of 0 means half of each.
	FastPool, SlowPool, PoolPerApp int
	// Drain limits how long a stop waits, and SkewLimit how far the clock may be off; a negative
	// SkewLimit means that this is not checked.
	Drain, SkewLimit time.Duration
}

// An infoForm says what a scheduler is.
type infoForm struct {
	Version  string    `json:"version,omitempty" doc:"The release; omitted if the program does not know it."`
	Revision string    `json:"revision,omitempty" doc:"The revision of the sources."`
	Go       string    `json:"go" doc:"The Go release that the program was built with."`
	Node     string    `json:"node" doc:"The name of the process that answers among the schedulers of its store."`
	Now      time.Time `json:"now" doc:"The store's clock."`

	Store       storeInfo     `json:"store"`
	Zone        string        `json:"zone" doc:"The time zone of schedules without one of their own."`
	CronProfile string        `json:"cronProfile" doc:"How cron expressions are evaluated: quartz, xxl34, sane or unix."`
	Features    featureInfo   `json:"features"`
	Alarms      []string      `json:"alarms" doc:"The channels on which failures are reported."`
	Retention   retentionInfo `json:"retention"`
	Limits      limitInfo     `json:"limits"`
}

type storeInfo struct {
	Kind    xxladapter.StoreKind `json:"kind"`
	Version string               `json:"version,omitempty" doc:"What the database program says of itself."`
	Schema  int64                `json:"schema,omitempty" doc:"The version of the side tables."`
	Journal bool                 `json:"journal,omitempty" doc:"A journal beside the tables is in use."`
}

type featureInfo struct {
	Users   bool `json:"users" doc:"People can sign in."`
	Alarms  bool `json:"alarms" doc:"Failures are reported on at least one channel."`
	Metrics bool `json:"metrics" doc:"/metrics is served."`
	Console bool `json:"console" doc:"The web console is served."`
	Open    bool `json:"open" doc:"Calls need no token as long as there are no users."`

	TakeOver bool `json:"takeOver" doc:"Jobs can be taken from a database of XXL-JOB."`
}

type retentionInfo struct {
	Logs      int64                 `json:"logsSeconds,omitempty" doc:"How long runs are kept; omitted if forever."`
	Successes int64                 `json:"successesSeconds" doc:"How long successful runs of jobs that keep failures only are kept."`
	Audit     int64                 `json:"auditSeconds,omitempty" doc:"How long the audit and replaced versions of jobs are kept; omitted if forever."`
	Stats     int64                 `json:"statsSeconds,omitempty" doc:"How long statistics of runs are kept; omitted if forever."`
	RunTexts  xxladapter.TextPolicy `json:"runTexts,omitempty" doc:"The runs whose log texts are stored: off, failures or all."`
}

type limitInfo struct {
	FastPool   int   `json:"fastPool" doc:"Fires that are handed over at once."`
	SlowPool   int   `json:"slowPool" doc:"Fires of slow jobs that are handed over at once."`
	PoolPerApp int   `json:"poolPerApp,omitempty" doc:"Fires of one app that are handed over at once by each of the two; omitted if that is half of its places."`
	Drain      int64 `json:"drainMs" doc:"How long a stop waits for hand-overs."`
	SkewLimit  int64 `json:"skewLimitMs" doc:"How far the machine's clock may be off the store's; a negative value means that this is not checked."`
	Page       int   `json:"page" doc:"Entries on one page of a list."`
	Bulk       int   `json:"bulk" doc:"Jobs in one bulk call."`
}

func (s *Server) info(ctx context.Context, _ api.None) (form infoForm, err error) {
	d, err := s.opts.Store.Describe(ctx)
	if err != nil {
		return form, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return form, err
	}
	is := s.opts.Info
	seconds := func(d time.Duration) int64 { return int64(max(d, 0) / time.Second) }
	return infoForm{
		Version: is.Version, Revision: is.Revision, Go: is.Go, Node: is.Node, Now: now,
		Store:       storeInfo{d.Kind, d.Version, d.Schema, d.Journal},
		Zone:        s.opts.Zone.String(),
		CronProfile: s.opts.CronProfile.Name(),
		Features: featureInfo{
			Users: s.opts.Accounts != nil, Alarms: len(is.Alarms) > 0, Metrics: is.Metrics, Console: is.Console,
			Open:     s.callers.Operators.Open(),
			TakeOver: s.opts.TakeOver != nil,
		},
		Alarms: append([]string{}, is.Alarms...),
		Retention: retentionInfo{
			Logs: seconds(is.KeepLogs), Successes: seconds(is.KeepSuccesses), Audit: seconds(is.KeepAudit),
			Stats: seconds(is.KeepStats), RunTexts: is.RunTexts,
		},
		Limits: limitInfo{
			FastPool: is.FastPool, SlowPool: is.SlowPool, PoolPerApp: is.PoolPerApp,
			Drain: is.Drain.Milliseconds(), SkewLimit: is.SkewLimit.Milliseconds(), Page: api.MaxPage, Bulk: maxBulk,
		},
	}, nil
}
