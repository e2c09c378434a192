package testserver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
	"testing"
)

// FreePort returns a port of the loopback interface that is not in use, for a process that begins
// to listen later. It is below the ports that systems assign to outgoing connections, and to
// listeners that ask for any port, so none of these takes it meanwhile, and no other test of the
// binary gets it.
func FreePort(t testing.TB) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// givenPorts has the ports that freePort has tried, as keys.
var givenPorts sync.Map

// freePort returns what FreePort does, for servers that several tests share.
func freePort() (port int, err error) {
	for range 100 {
		port = 10_000 + rand.IntN(20_000)
		if _, given := givenPorts.LoadOrStore(port, true); given {
			err = errors.New("those that were tried belong to other tests")
			continue
		}
		ln, busy := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if busy == nil {
			return port, ln.Close()
		}
		err = busy
	}
	return 0, fmt.Errorf("no port is free: %w", err)
}
