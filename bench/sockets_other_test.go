//go:build !unix

package bench_test

// sockets returns how many connections with both ends this process may have: a number that every
// system grants.
func sockets() int { return 500 }
