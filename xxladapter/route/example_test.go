package route_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/route"
)

// oneAlive is a Prober that reaches only one executor.
type oneAlive string

func (alive oneAlive) Beat(_ context.Context, addr string) error {
	if addr != string(alive) {
		return errors.New("connection refused")
	}
	return nil
}

func (alive oneAlive) IdleBeat(ctx context.Context, addr string, _ int64) error {
	return alive.Beat(ctx, addr)
}

func ExampleRoutes_Choose() {
	addrs := []string{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}
	routes := route.New(oneAlive(addrs[1]))
	for _, s := range []xxladapter.RouteStrategy{
		xxladapter.RouteLast, xxladapter.RouteConsistentHash, xxladapter.RouteFailover,
	} {
		addr, err := routes.Choose(context.Background(), s, 5, addrs)
		fmt.Println(s, addr, err)
	}
	_, err := routes.Choose(context.Background(), xxladapter.RouteBusyover, 5, addrs[:1])
	fmt.Println(err)
	// Output:
	// LAST http://10.0.0.3:9999/ <nil>
	// CONSISTENT_HASH http://10.0.0.1:9999/ <nil>
	// FAILOVER http://10.0.0.2:9999/ <nil>
	// route: BUSYOVER found no executor: http://10.0.0.1:9999/: connection refused
}
