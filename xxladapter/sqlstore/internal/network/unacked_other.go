//go:build !linux

package network

import (
	"syscall"
	"time"
)

// limitUnacked does nothing: not all systems have such an option, so keep-alives have to do.
func limitUnacked(syscall.RawConn, time.Duration) error { return nil }
