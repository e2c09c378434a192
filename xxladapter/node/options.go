package node

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/alarm"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// Options configures a [Node]. Only Store must be set.
type Options struct {
	Store xxladapter.Store
	// AccessToken is asked of executors and sent to them, beside the tokens that
	// groups have of their own, and is asked of users of the API where
	// OperatorTokens has none. Empty: nothing is checked, and the node does not
	// serve other machines.
	AccessToken string
	// OperatorTokens open the API in place of AccessToken. ReadTokens let look
	// and not change.
	OperatorTokens, ReadTokens []string
	// AllowDefaultToken lets other machines in with the token that stands in
	// every sample configuration of XXL-JOB.
	AllowDefaultToken bool
	// AllowAddresses are the networks that executors may be in; empty: all. An
	// address in them may also be named by who triggers a job. Link-local
	// addresses and the node itself are never called.
	AllowAddresses []netip.Prefix
	// AllowHosts are further names, without ports, by which the node may be called
	// where no token is needed, for example that of a proxy. Without a token a
	// request must name localhost, a loopback address or one of these in its Host
	// header, so that no page in a browser can pass its own name off as this
	// machine's.
	AllowHosts []string
	// TLSCert and TLSKey are files with the certificate chain and its key, in PEM;
	// empty: the node serves http. They are read again when they change.
	TLSCert, TLSKey string
	// TLSCA is a file with authorities, in PEM, that executors at https addresses
	// are trusted by, beside those of the system; empty: the system's only.
	TLSCA string
	// Zone is where cron expressions are read. The default is time.Local. It must be
	// that of all other nodes of the store.
	Zone *time.Location
	// CronProfile is how they are read; see package cron.
	CronProfile cron.Profile
	// FastPool, SlowPool and PoolPerApp are how many fires are handed over at
	// the same time; see trigger.PoolOptions. 0: its defaults.
	FastPool, SlowPool, PoolPerApp int
	// Drain is how long a node that stops waits for hand-overs that are under
	// way. The default is 10s.
	Drain time.Duration
	// SkewLimit is by how much this machine's clock may differ from the store's,
	// see scheduler.Options. The default is 2s.
	SkewLimit time.Duration
	// KeepLogs is how long log rows stay after their trigger; 0 or less: for ever.
	KeepLogs time.Duration
	// KeepSuccesses is how long those of successful runs stay whose job keeps
	// failures only; 0 means ten minutes, and it must not be negative. Beside a Java
	// admin on the same database it must be more than three days, or its daily report
	// forgets them.
	KeepSuccesses time.Duration
	// RunTexts says of which runs the log text is stored, so that it outlives the
	// executor. The default is of those that did not end well.
	RunTexts xxladapter.TextPolicy
	// OnEvent and OnMisfire are told what becomes of due times, on the
	// goroutines that do the work, which wait for them; nil: nobody is.
	OnEvent   func(trigger.Event)
	OnMisfire func(xxladapter.Misfire)
	// Alarms are the channels by which failed runs are told of. None: nobody is
	// told, and for a day failures stay open for another scheduler on the same
	// store.
	Alarms []alarm.Channel
	// Metrics counts and measures what the node does, and is served at /metrics to
	// those who may read the API; nil: nothing is measured. It is of this node
	// alone.
	Metrics *metrics.Metrics
	// OnAlarm is told what became of each alarm on each channel; nil: nobody is.
	OnAlarm func(channel, result string)
	Logger  *slog.Logger // nil: slog.Default()

	onCallback func(outcome string)
	sender     trigger.Sender // nil: calls go over HTTP
}

// mayServe refuses to let other machines in without a secret.
func (o *Options) mayServe(addr net.Addr) error {
	others := []access.Secret{}
	for _, token := range o.OperatorTokens {
		others = append(others, access.Secret{Setting: "Options.OperatorTokens", Token: token})
	}
	for _, token := range o.ReadTokens {
		others = append(others, access.Secret{Setting: "Options.ReadTokens", Token: token})
	}
	err := access.CheckListener(addr.String(), o.AllowDefaultToken, access.Secret{Setting: "Options.AccessToken", Token: o.AccessToken}, others...)
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	return nil
}
