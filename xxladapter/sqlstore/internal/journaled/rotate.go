package journaled

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// rotate lets the journal continue in a new file if the last one is large, with a record that
// repeats what the tables will not get soon: planned fires, and open runs with their history. So
// older files are not needed as soon as the tables have followed. What was planned before the last
// rotation is written to the tables too, so that it is not repeated again and again. The memory is
// locked, so the new file is left to the journal: nothing here waits for a disk.
// A shared journal needs no rotation: the tables get all of it.
func (f *front) rotate() {
	if f.shared != nil || f.journal.Size() < f.SegmentSize || f.journal.Rotating() {
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
