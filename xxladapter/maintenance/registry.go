package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// registryPace is the pause between two sweeps for dead registrations. XXL-JOB sweeps at every beat
// interval (BEAT_TIMEOUT, 30 s), so that a crashed executor stays routable for up to 120 s;
// sweeping more often reduces that to 90 s plus one pace.
const registryPace = 12 * time.Second

// A RegistryStore is the part of [xxladapter.Store] that [Registry] needs.
type RegistryStore interface {
	ExpireRegistrations(ctx context.Context, life time.Duration) ([]xxladapter.Registration, error)
}

// Registry removes executors whose beats have stopped.
type Registry struct {
	Store RegistryStore
	// Expired is called when registrations have ended, and must not block; nil disables it.
	Expired func()
	Logger  *slog.Logger // nil means slog.Default()
}

// Run sweeps until ctx ends. Errors of the store are logged, and the next sweep tries again.
func (r *Registry) Run(ctx context.Context) error {
	if err := check(&r.Logger, need{"Registry.Store", r.Store == nil}); err != nil {
		return err
	}
	return every(ctx, registryPace, r.Logger, "registry sweep failed", r.sweep)
}

func (r *Registry) sweep(ctx context.Context) error {
	dead, err := r.Store.ExpireRegistrations(ctx, xxladapter.RegistrationLife)
	if err != nil {
		return err
	}
	for _, d := range dead {
		r.Logger.Warn("executor lost", "app", d.AppName, "address", d.Address, "last_beat", d.Updated)
	}
	if len(dead) > 0 && r.Expired != nil {
		r.Expired()
	}
	return nil
}
