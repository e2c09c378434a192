//go:build !linux

package network

import (
	"syscall"
	"time"
)

// limitUnacked leaves it to keep-alives: there is no such option that all systems have.
func limitUnacked(syscall.RawConn, time.Duration) error { return nil }
