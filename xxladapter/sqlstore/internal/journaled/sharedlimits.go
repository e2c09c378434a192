package journaled

import "fmt"

// A shared log may be lost, and with it what the tables lack. Two limits keep that small enough:
// how many records the tables lack, and how many ids these records have given.

// defaultBacklog limits the records that the tables lack before ClaimDue stops.
const defaultBacklog = 100_000

// idJump is added to the ids that the tables know when the log, or a journal in files, is lost.
// With a shared log no call gives an id beyond it, see roomFor, so no id that only the log knew is
// given again.
const idJump = 1_000_000

// claimIDs is how many ids a call of ClaimDue may give: its decisions may plan several fires each.
const claimIDs = idJump / 2

// tooFarBehind returns an error if the tables lack so much that nothing more may be planned.
func (f *front) tooFarBehind() error {
	if f.shared == nil {
		return nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if lack := f.journal.Last().Number - f.applied.settled; f.loaded && lack > f.shared.backlog {
		return fmt.Errorf(
			"tables lack %d records of the shared log, must follow before more due times are planned", lack,
		)
	}
	return nil
}

// roomFor returns an error if a call that may give n ids could give one that is given again after a
// loss of the log.
//
// REQUIRES: f.mu is held.
func (f *front) roomFor(n int) error {
	if f.shared == nil || n == 0 {
		return nil
	}
	given := max(f.m.lastFire-f.shared.lastFire, f.m.lastLog-f.shared.lastLog)
	if given+int64(n) > idJump {
		return fmt.Errorf("database does not know %d ids yet, must follow before %d more are given", given, n)
	}
	return nil
}

// know notes the ids that the tables know as given.
//
// REQUIRES: f.mu is held.
func (f *front) know(fire, log int64) {
	if f.shared != nil {
		f.shared.lastFire, f.shared.lastLog = max(f.shared.lastFire, fire), max(f.shared.lastLog, log)
	}
}
