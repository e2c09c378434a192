package node

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/scheduler"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// buildTrigger builds the parts that plan fires and hand them over: the scheduler puts fires into
// the pool, the pool passes them to the hand-over, and the hand-over reports back to the scheduler.
func (n *Node) buildTrigger() (err error) {
	tls, err := access.ClientTLS(n.opts.TLSCA)
	if err != nil {
		return fmt.Errorf("node: Options.TLSCA: %w", err)
	}
	client := trigger.ClientOptions{Sent: n.tokens.Sent, MayDial: n.addresses.CheckDial, TLS: tls}
	if n.opts.Queue != nil {
		client.Broker, client.Never = n.opts.Queue, n.opts.Queue.Never()
	}
	n.client, err = trigger.NewClient(client)
	if err != nil {
		return err
	}
	n.pool, err = trigger.NewPool(trigger.PoolOptions{
		Fast: n.opts.FastPool, Slow: n.opts.SlowPool, PerApp: n.opts.PoolPerApp, Drain: n.opts.Drain,
		Logger: n.opts.Logger,
	})
	if err != nil {
		return err
	}
	n.hints = spread.NewClient(n.opts.AccessToken, tls)
	n.scheduler, err = scheduler.New(scheduler.Options{
		Store: n.opts.Store, Pool: n.pool, Node: n.name, Mode: n.opts.Scheduling, Election: n.election,
		Spread: n.opts.Spread, Advertise: n.opts.Advertise, SendHint: n.hints.Send, Zone: n.opts.Zone,
		CronProfile: n.opts.CronProfile,
		SkewLimit:   n.opts.SkewLimit, OnMisfire: n.opts.OnMisfire, Logger: n.opts.Logger,
	})
	if err != nil {
		return err
	}
	var sender trigger.Sender = n.client
	if n.opts.sender != nil {
		sender = n.opts.sender
	}
	n.handOver, err = trigger.NewHandOver(trigger.Options{
		Store: n.opts.Store, Sender: sender, Queue: n.client, Connected: n.connected(), Scheduler: n.scheduler,
		OnEvent: n.opts.OnEvent, TraceParent: n.opts.TraceParent, OnCallback: n.opts.onCallback,
		RunTexts: n.opts.RunTexts, TextWanted: n.textWanted.post, Logger: n.opts.Logger,
	})
	if err != nil {
		return err
	}
	return nil
}

// maintenance returns the background services that a node runs beside scheduling.
func (n *Node) maintenance() []runner {
	store, logger := n.opts.Store, n.opts.Logger
	return []runner{
		&maintenance.Registry{Store: store, Connected: n.connected(), Expired: n.expired.post, Logger: logger},
		&maintenance.Lost{
			Store: store, Beat: n.client.Alive, Ended: n.client.Ended, Complete: n.handOver.Complete,
			Lose: n.handOver.Lose, Connected: n.connected(), Expired: n.expired, Logger: logger,
		},
		&maintenance.Stuck{Store: store, Settled: n.handOver.WrittenOff, Logger: logger},
		&maintenance.Waiting{Store: store, Logger: logger},
		n.backfills,
		&maintenance.Reports{Store: store, Logger: logger},
		&maintenance.Stats{Store: store, Fired: func() int64 { return n.scheduler.Wheel().Fired }, Logger: logger},
		&maintenance.Texts{Store: store, Fetch: n.client.Log, Busy: n.pool.Busy, Wanted: n.textWanted, Logger: logger},
		&maintenance.Retention{
			Store: store, Keep: n.opts.KeepLogs, KeepSuccesses: n.opts.KeepSuccesses, KeepAudit: n.opts.KeepAudit,
			KeepStats: n.opts.KeepStats, Zone: n.opts.Zone, NoAlarms: len(n.opts.Alarms) == 0, Removed: n.removed,
			Logger: logger,
		},
	}
}

// Schedule runs the scheduling half of Run: it plans fires and hands them over until ctx ends. It
// stops in the order of XXL-JOB: first the scan and the wheel, then the hand-overs. From the first
// step on, other nodes may take its partitions. Finally it gives its lease back, so that nobody has
// to wait until it lapses. Schedule does nothing and returns an error if the other schedulers of
// the store read schedules in another time zone.
func (n *Node) Schedule(ctx context.Context) error {
	defer n.client.Close()
	defer n.hints.Close()
	if err := agreeZone(ctx, &n.opts); err != nil || ctx.Err() != nil {
		return err
	}
	n.begun()
	handingOver, stopPool := context.WithCancel(context.WithoutCancel(ctx))
	defer stopPool()
	leasing, stopLease := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLease()
	var parts errgroup.Group
	parts.Go(func() error { return n.scheduler.HoldLease(leasing) })
	parts.Go(func() error {
		defer stopLease()
		return n.pool.Run(handingOver, n.handOver)
	})
	for _, r := range n.upkeep {
		parts.Go(func() error { return r.Run(ctx) })
	}
	parts.Go(func() error {
		defer stopPool()
		return n.scheduler.Run(ctx)
	})
	return parts.Wait()
}
