package hashedwheel

import "runtime"

// goroutineID returns the number of the calling goroutine. Go has no call for it;
// the first line of a stack trace is "goroutine 18 [running]:". It takes about a
// microsecond, and only Stop and the start of a worker need it.
func goroutineID() uint64 {
	var buf [40]byte
	var id uint64
	for _, c := range buf[len("goroutine "):runtime.Stack(buf[:], false)] {
		if c < '0' || c > '9' {
			break
		}
		id = id*10 + uint64(c-'0')
	}
	return id
}
