//go:build !linux

package sqlite

import "time"

// nap pauses for d at least.
func nap(d time.Duration) { time.Sleep(d) }
