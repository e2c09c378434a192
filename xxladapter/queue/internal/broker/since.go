package broker

import (
	"sync/atomic"
	"time"
)

// A Since knows since when a connection exists. The zero value says that there is none. Its methods
// may be called from any goroutine.
type Since struct{ nanoseconds atomic.Int64 } // Unix; 0 means that there is no connection

// Begin notes that the connection exists from now on, and reports whether there was none.
func (s *Since) Begin() bool { return s.nanoseconds.CompareAndSwap(0, time.Now().UnixNano()) }

// End notes that there is no connection, and reports whether there was one.
func (s *Since) End() bool { return s.nanoseconds.Swap(0) != 0 }

// Time returns when the connection began, zero if there is none.
func (s *Since) Time() time.Time {
	if at := s.nanoseconds.Load(); at != 0 {
		return time.Unix(0, at)
	}
	return time.Time{}
}
