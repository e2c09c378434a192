package route

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A ProbeError is returned if FAILOVER or BUSYOVER found no suitable executor. It unwraps to the
// errors of its probes.
type ProbeError struct {
	Strategy xxladapter.RouteStrategy
	Probes   []Probe // one for each address, in list order
}

// A Probe is one address and the error of its probe. An address that was not probed because the
// context had ended has the context's error.
type Probe struct {
	Addr string
	Err  error
}

func (e *ProbeError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "route: %s found no executor", e.Strategy)
	sep := ": "
	for _, p := range e.Probes {
		fmt.Fprintf(&b, "%s%s: %v", sep, p.Addr, p.Err)
		sep = "; "
	}
	return b.String()
}

// Unwrap returns the errors of all probes, in list order.
func (e *ProbeError) Unwrap() []error {
	errs := make([]error, len(e.Probes))
	for i, p := range e.Probes {
		errs[i] = p.Err
	}
	return errs
}

var errNoProber = errors.New("route: FAILOVER and BUSYOVER need a Prober, New got nil")

// failover implements FAILOVER (XXL-JOB 2.4.2, ExecutorRouteFailover.java).
func (r *Routes) failover(ctx context.Context, addrs []string) (string, error) {
	if r.prober == nil {
		return "", errNoProber
	}
	return walk(ctx, xxladapter.RouteFailover, addrs, r.prober.Beat)
}

// walk returns the first address for which probe returns no error. It probes the addresses one
// after the other in list order, each once, and stops when ctx ends. An executor that was found is
// returned even if ctx ended meanwhile.
//
// The probe and the run that follows are separate calls: the executor may die or become busy in
// between, and two concurrent walks may find the same executor idle.
func walk(ctx context.Context, s xxladapter.RouteStrategy, addrs []string,
	probe func(ctx context.Context, addr string) error,
) (string, error) {
	probes := make([]Probe, 0, len(addrs))
	for _, addr := range addrs {
		err := ctx.Err()
		if err == nil {
			err = probe(ctx, addr)
		}
		if err == nil {
			return addr, nil
		}
		probes = append(probes, Probe{Addr: addr, Err: err})
	}
	return "", &ProbeError{Strategy: s, Probes: probes}
}
