package journaled

import "time"

// burstLag limits how long the tables lag behind a shared log while claims work off a burst of due
// jobs. Each of these jobs writes two rows to the tables, which costs more than its claim. Where
// the writes and the claims share processors, the claims would take twice as long.
const burstLag = 2 * time.Second

// burstAlone is how long a process must have had its memory before the tables lag, in a burst or by
// deferred fires. Processes that pass the pen to and fro read all that the tables lack each time.
const burstAlone = time.Second

// inBurst reports whether the tables, which have followed the log up to an instant, should wait for
// the claims of a burst.
//
// REQUIRES: f.mu is held.
func (f *front) inBurst(followed, now time.Time) bool {
	return f.shared != nil && now.Sub(followed) < burstLag && now.Sub(f.shared.loaded) >= burstAlone &&
		len(f.due.ids) > 0 && f.due.epoch == f.epoch && f.Clock().Sub(f.due.at).Abs() < burstLag
}
