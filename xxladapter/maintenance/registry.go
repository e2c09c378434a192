package maintenance

import (
	"context"
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// registryPace is the pause between two sweeps for dead registrations. XXL-JOB sweeps at every
	// beat interval (BEAT_TIMEOUT, 30 s), so that a crashed executor stays routable for up to
	// 120 s; sweeping more often reduces that to 90 s plus one pace.
	registryPace = 12 * time.Second

	// deafLife is the life of a registration before [xxladapter.HearingTime] is over. The store is
	// asked then, too, because its errors say that no beat can be stored.
	deafLife = 365 * 24 * time.Hour
)

// A RegistryStore is the part of [xxladapter.Store] that [Registry] needs.
type RegistryStore interface {
	ExpireRegistrations(ctx context.Context, life time.Duration, queued bool) ([]xxladapter.Registration, error)
}

// Registry removes executors whose beats have stopped. It does not count the time in which beats
// could not arrive: before Run, while the store fails, while the process stands still, and for
// executors on the queue while the broker is away.
type Registry struct {
	Store RegistryStore
	// Connected returns since when this node is connected to the broker, as for
	// [xxladapter.HearsQueue]; nil means that it has none.
	Connected func() time.Time
	// Expired is called when registrations have ended, and must not block; nil disables it.
	Expired func()
	Logger  *slog.Logger // nil means slog.Default()

	since time.Time // beats could arrive from then on
	swept time.Time // the last sweep
}

// Run sweeps until ctx ends. Errors of the store are logged, and the next sweep tries again.
func (r *Registry) Run(ctx context.Context) error {
	if err := check(&r.Logger, need{"Registry.Store", r.Store == nil}); err != nil {
		return err
	}
	r.since = wallClock()
	r.swept = r.since
	return every(ctx, registryPace, r.Logger, "registry sweep failed", r.sweep)
}

func (r *Registry) sweep(ctx context.Context) error {
	now := wallClock()
	if gap := now.Sub(r.swept); gap > 2*registryPace || gap < 0 {
		r.since = now // the process or its machine stood still, or the clock was moved
	}
	r.swept = now
	life := xxladapter.RegistrationLife
	if now.Sub(r.since) < xxladapter.HearingTime {
		life = deafLife
	}
	// While a store takes minutes to answer, it may keep beats away, too. A call that has waited so
	// long would expire their executors.
	limited, cancel := context.WithTimeout(ctx, registryPace)
	defer cancel()
	dead, err := r.Store.ExpireRegistrations(limited, life, xxladapter.HearsQueue(r.Connected, now))
	if err != nil {
		r.since = wallClock()
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

// wallClock returns the time without the monotonic clock, which stands still while the machine
// sleeps.
func wallClock() time.Time { return time.Now().Round(0) }
