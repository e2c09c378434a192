//go:build !unix

package time_test

import "time"

// cpuTime returns 0, because it is implemented for Unix systems only.
func cpuTime() time.Duration { return 0 }
