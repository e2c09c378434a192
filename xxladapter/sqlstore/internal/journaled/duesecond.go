package journaled

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A dueSecond has the open fires that are due within one second. They are sorted when they are
// listed, which costs nothing where fires come in the order of their due times, as scans plan them.
// The next page of a list then begins where the one before has ended.
type dueSecond struct {
	fires   []*fire // by due time, then id, if ordered; some may have been removed
	ordered bool
	removed int // how many of fires have been removed
}

func newDueSecond() *dueSecond { return &dueSecond{ordered: true} }

// add adds a fire.
func (s *dueSecond) add(f *fire) {
	if n := len(s.fires); n > 0 && byDue(s.fires[n-1], f) > 0 {
		s.ordered = false
	}
	s.fires = append(s.fires, f)
}

// leave notes that one of its fires was removed. Removed fires are dropped once they are more than
// half of all, so that each fire is moved a few times at most.
func (s *dueSecond) leave() {
	if s.removed++; 2*s.removed > len(s.fires) {
		s.fires = slices.DeleteFunc(s.fires, func(f *fire) bool { return f.removed })
		s.removed = 0
	}
}

// empty reports whether all fires were removed.
func (s *dueSecond) empty() bool { return len(s.fires) == s.removed }

// from returns the fires that are listed from a due time and an id on; the id 0 means from the
// beginning. The caller leaves out those that were removed.
func (s *dueSecond) from(due time.Time, id int64) []*fire {
	if !s.ordered {
		slices.SortFunc(s.fires, byDue)
		s.ordered = true
	}
	if id == 0 {
		return s.fires
	}
	at, _ := slices.BinarySearchFunc(s.fires, &fire{Fire: xxladapter.Fire{ID: id, Due: due}}, byDue)
	return s.fires[at:]
}

// anyDue reports whether one of the fires is due.
func (s *dueSecond) anyDue(now time.Time) bool {
	return slices.ContainsFunc(s.fires, func(f *fire) bool { return !f.removed && !f.Due.After(now) })
}

// byDue orders fires as they are listed.
func byDue(a, b *fire) int { return cmp.Or(a.Due.Compare(b.Due), cmp.Compare(a.ID, b.ID)) }
