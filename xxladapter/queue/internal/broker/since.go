package broker

import (
	"sync/atomic"
	"time"
)

// A Since knows since when a connection exists. The zero value says that there is none. Its methods
// may be called from any goroutine.
type Since struct{ began atomic.Pointer[time.Time] } // nil means that there is no connection

// Begin notes that the connection exists from now on, and reports whether there was none.
func (s *Since) Begin() bool {
	now := time.Now()
	return s.began.CompareAndSwap(nil, &now)
}

// End notes that there is no connection, and reports whether there was one.
func (s *Since) End() bool { return s.began.Swap(nil) != nil }

// Time returns when the connection began, zero if there is none. It has a monotonic reading, so
// that what happens after it is later even if the clock was set back.
func (s *Since) Time() time.Time {
	if began := s.began.Load(); began != nil {
		return *began
	}
	return time.Time{}
}
