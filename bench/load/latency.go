package main

import (
	"slices"
	"time"
)

// quantile is the q-th part of the durations in their order; 0 of none. It
// sorts them.
func quantile(of []time.Duration, q float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[int(q*float64(len(of)-1))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
