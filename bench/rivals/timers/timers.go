// Package timers contains the Go timers in common use as contenders, which run the same cases as
// the wheels of this repository and the baselines.
//
// Each is used as its documentation shows, and runs functions in its fastest way. If a timer cannot
// take part in a case, the result says why.
package timers

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// All returns the contenders of this package.
func All() []contender.Kind {
	return []contender.Kind{russellLuo, antlabs, goZero, ouqiang, gost}
}

// buckets is the number of buckets of every wheel that takes a number.
const buckets = 512

// must panics on an error that only a wrong argument can cause.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("timers: %v", err))
	}
}

// A restarter is a timer that cannot move deadlines: it stops and starts the timeout instead.
type restarter interface {
	Start(slot int, d time.Duration)
	Stop(slot int) bool
}

func restart(r restarter, slot int, d time.Duration) bool {
	pending := r.Stop(slot)
	r.Start(slot, d)
	return pending
}
