package route

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// busyover implements BUSYOVER (XXL-JOB 2.4.2, ExecutorRouteBusyover.java). It asks whether runs of
// this job occupy an executor, not how loaded the machine is.
func (r *Routes) busyover(ctx context.Context, jobID int64, addrs []string) (string, error) {
	if r.prober == nil {
		return "", errNoProber
	}
	return walk(ctx, xxladapter.RouteBusyover, addrs, func(ctx context.Context, addr string) error {
		return r.prober.IdleBeat(ctx, addr, jobID)
	})
}
