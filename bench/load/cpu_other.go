//go:build !unix

package main

import "time"

// cpuTime returns 0: this system does not report it.
func cpuTime() time.Duration { return 0 }

// peakMemory returns 0: this system does not report it.
func peakMemory() int64 { return 0 }
