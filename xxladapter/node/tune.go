package node

import (
	"os"
	"runtime"
)

// spareProcessors is for what waits in the disk at the same time: the database's
// writer, a reader, or the journal of an executor in the same process.
const spareProcessors = 2

// SpareProcessors lets two more threads run Go code than there are processors,
// unless the environment sets GOMAXPROCS. It is for main functions of programs
// that run a [Node] on a database in a file, or an executor; further calls add
// two more each.
//
// A goroutine that waits for the disk keeps its place among GOMAXPROCS until
// the runtime's monitor takes it away, tens of microseconds later at best. On two
// processors with two such goroutines the machine was idle for a third of the
// time while runs waited: 1,600 to 2,000 a second instead of 2,500.
func SpareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(runtime.GOMAXPROCS(0) + spareProcessors)
	}
}
