package journaled

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// rotate makes the journal continue in a new file if the last one is large. The new file begins
// with a snapshot of what the tables will not get soon: planned fires, and open runs with their
// history. Older files can then be deleted as soon as the tables have followed. Fires that were
// planned before the last rotation are written to the tables, so that no later snapshot repeats
// them. A shared journal needs no rotation, because the tables get all of it.
//
// Until the tables have followed up to a snapshot, nothing can be deleted, so rotate does nothing:
// while the tables cannot be written, each attempt would add another snapshot.
//
// rotate waits for no disk, because its callers hold f.mu: the journal creates the file later.
//
// REQUIRES: f.mu is held.
func (f *front) rotate() {
	if f.shared != nil || f.journal.Size() < f.SegmentSize || f.journal.Rotating() ||
		f.applied.oldest() < f.snapshot {
		return
	}
	f.journal.Rotate()
	before := f.journal.Last().Number
	var b buffer
	for _, fires := range []map[int64]*fire{f.m.plans, f.m.fires.dirty} {
		for _, fire := range fires {
			b.kind(opened)
			b.fire(&fire.Fire)
			b.text(string(fire.State))
			b.owner(&fire.Fire)
		}
	}
	for _, r := range f.m.dirtyRun {
		if r.HandleCode == xxladapter.ResultNone {
			b.kind(logged)
			b.log(&r.Log)
		}
		switch r.history.Kind {
		case transition.RecordRun:
			b.kind(recorded)
			b.history(&r.history.History)
		case transition.ExtendRun:
			b.kind(extended)
			b.history(&r.history.History)
		}
	}
	if len(b) > 0 {
		f.journal.Append(b)
	}
	f.spill, f.rotated, f.snapshot = f.rotated, before, before
}
