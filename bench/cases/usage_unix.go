//go:build unix

package cases

import (
	"syscall"
	"time"
)

// usage is what the process has used since its start.
type usage struct {
	cpu   time.Duration
	waits int64 // times a thread gave up the processor to wait
}

func used() usage {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return usage{}
	}
	return usage{
		cpu:   time.Duration(r.Utime.Nano() + r.Stime.Nano()),
		waits: int64(r.Nvcsw),
	}
}
