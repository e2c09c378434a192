package alarm

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// pollPace is the period of polls without a hint, while failed runs are unreported or the alarm
	// of a job is raised. XXL-JOB polls every 10 s (JobFailAlarmMonitorHelper).
	pollPace = 10 * time.Second
	// idlePace is the period of polls without a hint, after a poll that found nothing. Such polls
	// find the failures that a node did not report because it died.
	idlePace = time.Minute
	// pollPause is the shortest pause between two polls. If the listing of failed runs takes long,
	// the pause is pollShare times its duration, and at most pollPauseMax: on MySQL the listing
	// reads upstream's log table without an index.
	pollPause    = time.Second
	pollShare    = 20
	pollPauseMax = time.Minute
	// stopGrace is how long a stop waits for alarms in flight.
	stopGrace = 5 * time.Second
)

// A Store is the part of [xxladapter.Store] that this package needs.
type Store interface {
	xxladapter.AlarmStore
	xxladapter.Clock
	Job(ctx context.Context, id int64) (*xxladapter.Job, error)
	Group(ctx context.Context, id int64) (*xxladapter.Group, error)
	xxladapter.LogStore
}

// Options configures a [Monitor].
type Options struct {
	// Store has the failed runs, and keeps which of them were reported. It must be set.
	Store Store
	// Channels deliver the alarms; every channel gets every alarm. There must be at least one.
	Channels []Channel
	// Node is the name under which alarms are claimed. It is unique for each process that ever ran,
	// and must be set.
	Node string
	// Source names the scheduler to readers of alarms; empty means Node.
	Source string
	// OnAlarm is called with the result of each alarm on each channel: [ResultSent], [ResultFailed]
	// or [ResultSkipped]. It is called from several goroutines, which wait for it. A panic in it is
	// logged. Nil disables it.
	OnAlarm func(channel, result string)
	Logger  *slog.Logger // nil means slog.Default()
}

// A Monitor finds failed runs and reports them. Several may work on one store. Failed and Succeeded
// may be called from any goroutine.
type Monitor struct {
	opts   Options
	logger *slog.Logger
	wake   chan struct{}

	raised sync.Map // ids of jobs whose alarm is raised; their next success matters

	// down and unsettled lock themselves.
	down      *downs
	unsettled unsettled

	// pace, idle and listed belong to the goroutine of Run.
	pace   pace
	idle   bool          // the last poll found nothing open
	listed time.Duration // how long the store took to list the failed runs
}

// NewMonitor returns a Monitor that does nothing before Run. The error names a field of the options
// that has to be set.
func NewMonitor(opts Options) (*Monitor, error) {
	switch {
	case opts.Store == nil:
		return nil, errors.New("alarm: Options.Store is nil, must be set")
	case opts.Node == "":
		return nil, errors.New("alarm: Options.Node is empty, must be set")
	case len(opts.Channels) == 0:
		return nil, errors.New("alarm: Options.Channels is empty, must have at least one")
	}
	if opts.Source == "" {
		opts.Source = opts.Node
	}
	if opts.OnAlarm == nil {
		opts.OnAlarm = func(string, string) {}
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	return &Monitor{
		opts: opts, logger: opts.Logger, wake: make(chan struct{}, 1), down: newDowns(len(opts.Channels)),
	}, nil
}

// Failed hints that a run failed, so that Run polls at once. It never blocks.
func (m *Monitor) Failed() {
	select {
	case m.wake <- struct{}{}:
	default: // a poll is due already
	}
}

// Succeeded hints that a run of the job succeeded. It never blocks.
func (m *Monitor) Succeeded(jobID int64) {
	if _, matters := m.raised.Load(jobID); matters {
		m.Failed()
	}
}

// Run polls until ctx ends, and then waits a few seconds for the alarms in flight. Errors of the
// store are logged, and the next poll tries again.
func (m *Monitor) Run(ctx context.Context) error {
	// A message in flight is completed after ctx has ended. If it were cut off, nobody would know
	// whether it arrived.
	sending, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	defer context.AfterFunc(ctx, func() {
		grace := time.AfterFunc(stopGrace, stop)
		context.AfterFunc(sending, func() { grace.Stop() })
	})()
	for {
		began := time.Now()
		if err := m.poll(ctx, sending); err != nil && ctx.Err() == nil {
			m.logger.Error("poll for alarms failed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(min(max(pollPause, pollShare*m.listed), pollPauseMax)):
		}
		pace := pollPace
		if m.idle {
			pace = idlePace
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Until(began.Add(pace))):
		case <-m.wake:
		}
	}
}
