package daemon

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// TellServiceManager notifies systemd that this process serves, for which a unit of Type=notify
// waits, and, when ctx ends or ended is called, that it stops. If the unit has WatchdogSec,
// TellServiceManager pings the watchdog twice in each interval while the process is alive. As in
// /healthz, nothing else is checked: a restart does not bring a database back. Without systemd it
// does nothing. ended ends the notifications and returns after the last one; the caller must call
// it.
func TellServiceManager(ctx context.Context, logger *slog.Logger) (ended func()) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		logger.Warn("the service manager's watchdog is not used", "err", err)
	}
	if told, err := daemon.SdNotify(false, daemon.SdNotifyReady); err != nil || !told {
		if err != nil {
			logger.Warn("the service manager cannot be notified that this process serves", "err", err)
		}
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	var telling sync.WaitGroup
	telling.Go(func() {
		var alive <-chan time.Time // nil without a watchdog
		if interval > 0 {
			ticker := time.NewTicker(interval / 2)
			defer ticker.Stop()
			alive = ticker.C
		}
		for {
			select {
			case <-alive:
				_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog) // if it is lost, the next one counts
			case <-ctx.Done():
				_, _ = daemon.SdNotify(false, daemon.SdNotifyStopping)
				return
			}
		}
	})
	return func() {
		cancel()
		telling.Wait()
	}
}
