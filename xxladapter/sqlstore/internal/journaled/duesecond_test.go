package journaled

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestListsAreThoseOfASortedSlice adds and removes fires of two seconds and compares pages with
// those of all open fires, sorted anew each time.
func TestListsAreThoseOfASortedSlice(t *testing.T) {
	epoch := time.Unix(1_800_000_000, 0).UTC()
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		var open []*fire
		lastID := int64(0)
		due := func() time.Time {
			return epoch.Add(time.Duration(rapid.IntRange(0, 7).Draw(t, "quarters")) * time.Second / 4)
		}
		t.Repeat(map[string]func(*rapid.T){
			"Add": func(*rapid.T) {
				lastID++
				f := &fire{Fire: xxladapter.Fire{ID: lastID, JobID: lastID % 5, Due: due(), State: xxladapter.FirePlanned}}
				m.add(f)
				open = append(open, f)
			},
			"Remove": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip("nothing is open")
				}
				i := rapid.IntRange(0, len(open)-1).Draw(t, "which")
				m.remove(open[i])
				open = slices.Delete(open, i, i+1)
			},
			"List": func(t *rapid.T) {
				filter := xxladapter.FireFilter{Limit: rapid.IntRange(0, 4).Draw(t, "limit")}
				if rapid.Bool().Draw(t, "page") {
					filter.AfterDue, filter.AfterID = due(), rapid.Int64Range(1, lastID+1).Draw(t, "after")
				}
				if rapid.Bool().Draw(t, "until") {
					filter.DueBefore = due()
				}
				var want []int64
				for _, f := range slices.SortedFunc(slices.Values(open), byDue) {
					after := &fire{Fire: xxladapter.Fire{ID: filter.AfterID, Due: filter.AfterDue}}
					if (filter.AfterID == 0 || byDue(f, after) > 0) && (filter.DueBefore.IsZero() || f.Due.Before(filter.DueBefore)) {
						want = append(want, f.ID)
					}
				}
				if filter.Limit > 0 {
					want = want[:min(filter.Limit, len(want))]
				}
				var got []int64
				for _, f := range m.list(filter) {
					got = append(got, f.ID)
				}
				require.Equal(t, want, got)
			},
			"AnyDue": func(t *rapid.T) {
				now := due()
				require.Equal(t, slices.ContainsFunc(open, func(f *fire) bool { return !f.Due.After(now) }), m.anyDue(now))
			},
		})
	})
}
