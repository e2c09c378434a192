//go:build !linux

package network

import (
	"syscall"
	"time"
)

// limitUnacked relies on keep-alives: not all systems have such an option.
func limitUnacked(syscall.RawConn, time.Duration) error { return nil }
