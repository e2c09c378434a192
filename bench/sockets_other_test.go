//go:build !unix

package bench_test

// sockets returns a number of connections whose both ends fit into one process on every system.
func sockets() int { return 500 }
