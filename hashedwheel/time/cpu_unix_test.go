//go:build unix

package time_test

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time of the process. It is steadier than the clock on a machine
// that others use too.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
