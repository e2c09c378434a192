package xxladapter

import (
	"context"
	"time"
)

// A Registration is an executor's sign of life: one row of xxl_job_registry whose registry_group is
// EXECUTOR.
type Registration struct {
	AppName string // registry_key
	Address string // registry_value, exactly as the executor sent it
	Updated time.Time
}

// RegistrationLife is the time for which a registration is valid without a new beat. XXL-JOB: three
// beats of 30 s (DEAD_TIMEOUT in RegistryConfig).
const RegistrationLife = 90 * time.Second

// HearingTime is how long beats must have been able to arrive before their absence counts: the 30 s
// between two beats, and time for the calls. Eureka has a self-preservation mode for the same
// reason.
const HearingTime = 45 * time.Second

// HearsQueue reports whether beats through the broker could arrive for [HearingTime] up to now.
// connected returns since when this node is connected to the broker, zero while it is not; nil
// means that the node has no broker, and expects no beats through one. If the clock was set back to
// before the connection, the connection's age is unknown, and HearsQueue returns true.
func HearsQueue(connected func() time.Time, now time.Time) bool {
	if connected == nil {
		return true
	}
	since := connected()
	age := now.Sub(since)
	return !since.IsZero() && (age >= HearingTime || age < 0)
}

// A RegistryStore is the part of [Store] that keeps registrations and computes the addresses of
// automatic groups from them.
type RegistryStore interface {
	// Register stores a beat of now. The address belongs to the automatic group of appName when
	// Register returns; an app name without a group is kept until it gets one.
	Register(ctx context.Context, appName, address string) error
	// Unregister removes an address at once, from its automatic group too. An unknown address is
	// no error.
	Unregister(ctx context.Context, appName, address string) error
	// Registrations lists the registrations of appName, ordered by address. Updated has whole
	// seconds.
	Registrations(ctx context.Context, appName string) ([]Registration, error)
	// ExpireRegistrations removes the addresses whose last beat is older than life and returns
	// them, by app name, then address. Beats are stored in whole seconds, so an address may live
	// up to a second longer than life, and never shorter. If queued is false, each [QueueAddress]
	// stays.
	ExpireRegistrations(ctx context.Context, life time.Duration, queued bool) ([]Registration, error)
}
