package hashedwheel

import (
	"bytes"
	"runtime"
)

// goroutineID returns the number of the calling goroutine. Go has no call for it;
// the first line of a stack trace is "goroutine 18 [running]:". It takes about a
// microsecond, and only Stop and the start of a worker need it. Should the trace look
// different some day, the number is 0, which is nobody's.
func goroutineID() uint64 {
	var buf [40]byte
	return parseGoroutineID(buf[:runtime.Stack(buf[:], false)])
}

// parseGoroutineID reads the number at the beginning of a stack trace.
func parseGoroutineID(trace []byte) (id uint64) {
	trace, ok := bytes.CutPrefix(trace, []byte("goroutine "))
	if !ok {
		return 0
	}
	for _, c := range trace {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
