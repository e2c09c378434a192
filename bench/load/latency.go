package main

import (
	"slices"
	"time"
)

// quantile sorts the durations and returns the one below which the share q of them lies; 0 if there
// are none.
func quantile(of []time.Duration, q float64) time.Duration {
	if len(of) == 0 {
		return 0
	}
	slices.Sort(of)
	return of[int(q*float64(len(of)-1))]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
