package sqlite

import "time"

// A writer that finds the file locked by another process asks for the lock again and again. SQLite
// has no queue: the first process that asks after a commit gets the lock, and the one that has just
// committed asks at once if it has more to write. So the pauses get shorter the longer a writer has
// waited, and it gets its turn. An attempt takes 1.2 µs.
//
// Three schedulers that shared a million jobs took this long for a scan, at the 50th and the 99th
// percentile, as medians of two to seven runs, on two processors (AMD EPYC):
//
//	SQLite's own wait (busy_timeout)    6 ms   112 ms
//	a pause of 500 µs by [time.Sleep]  12 ms    53 ms
//	a pause of 50 µs by [nap]          13 ms    47 ms
//	pauses that get shorter            14 ms    37 ms
const (
	firstPause = time.Millisecond
	pauseHalf  = 2 * time.Millisecond // the pause halves each time a writer has waited this much longer
	leastPause = 50 * time.Microsecond
)

// lockPause returns the pause before the next attempt of a writer that has waited so long.
func lockPause(waited time.Duration) time.Duration {
	return max(firstPause>>(waited/pauseHalf), leastPause)
}

// withLock retries do, which begins to write, while other processes have the write lock, for
// lockWait at most. An attempt without the lock has done nothing.
func (b *batchWriter) withLock(do func() error) error {
	for begun := time.Now(); ; {
		err := do()
		waited := time.Since(begun)
		if !isLocked(err) || waited > b.lockWait {
			return err
		}
		nap(lockPause(waited))
	}
}
