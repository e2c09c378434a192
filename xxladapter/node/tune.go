package node

import (
	"os"
	"runtime"
	"runtime/debug"
)

const (
	// spareProcessors are for goroutines that wait for the disk at the same time: the database's
	// writer, a reader, or the journal of an executor in the same process.
	spareProcessors = 2

	// gcPercent lets the heap grow to five times its live size. A scheduler keeps little, some 20
	// MB with 100,000 jobs, and allocates much that lives for one run.
	gcPercent = 400
)

// Tune sets GOMAXPROCS, the collector's GOGC and the memory limit for a scheduler or an executor,
// each unless the environment sets it. It is for main functions and must be called at most once.
//
// GOMAXPROCS becomes two more than the number of processors. A goroutine that waits for the disk
// keeps its place among GOMAXPROCS until the runtime's monitor takes it away, tens of microseconds
// later at best. With as many such goroutines as processors, the machine would be idle part of the
// time while runs wait.
//
// GOGC becomes 400: the collector runs when the heap has grown by 400 % instead of 100 %. The
// memory limit, which GOMEMLIMIT sets, makes it run earlier once Go's part of the process has 112
// MiB, but not before the heap has doubled. The limit is adjusted after each collection, and left
// alone if the environment sets GOGC.
func Tune() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcessors)
	}
	if os.Getenv("GOGC") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	if os.Getenv("GOMEMLIMIT") == "" {
		limitMemory()
	}
}
