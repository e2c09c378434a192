// Package timers has the Go timers that people use as contenders, to go through
// the same cases as the wheels of this repository and the baselines.
//
// Each is used as its documentation shows, with the fastest of its ways to run a
// function. One that cannot take part in a case says why in the result.
package timers

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/bench/contender"
)

// All are the contenders of this package.
func All() []contender.Kind {
	return []contender.Kind{russellLuo, antlabs, goZero, ouqiang, gost}
}

// buckets is how many each wheel gets that asks for a number.
const buckets = 512

// must is for errors that only a wrong argument can give.
func must(err error) {
	if err != nil {
		panic(fmt.Sprintf("timers: %v", err))
	}
}

// A restarter moves deadlines for timers that have no way to: it stops and
// starts.
type restarter interface {
	Start(slot int, d time.Duration)
	Stop(slot int) bool
}

func restart(r restarter, slot int, d time.Duration) bool {
	pending := r.Stop(slot)
	r.Start(slot, d)
	return pending
}
