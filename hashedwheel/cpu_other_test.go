//go:build !unix

package hashedwheel

import "time"

// cpuTime returns 0, because this system has no way to ask for it.
func cpuTime() time.Duration { return 0 }
