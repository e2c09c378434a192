//go:build !unix

package hashedwheel

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
