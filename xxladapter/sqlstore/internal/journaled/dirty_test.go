package journaled

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestDueDirty compares the shortcut of dueDirty with a look at each job.
func TestDueDirty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMemory()
		at := func(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0).UTC() }
		for id := range int64(5) {
			m.addJob(&xxladapter.Job{ID: id})
		}
		t.Repeat(map[string]func(*rapid.T){
			"move": func(t *rapid.T) {
				j := m.jobs[rapid.Int64Range(0, 4).Draw(t, "job")]
				next := at(rapid.IntRange(0, 20).Draw(t, "next"))
				m.moveJob(j, time.Time{}, next, rapid.Bool().Draw(t, "running"))
			},
			"write": func(t *rapid.T) { delete(m.dirtyJob, rapid.Int64Range(0, 4).Draw(t, "job")) },
			"look": func(t *rapid.T) {
				by := at(rapid.IntRange(-1, 21).Draw(t, "by"))
				var want []int64
				for id, j := range m.dirtyJob {
					if j.Running && !j.TriggerNext.After(by) {
						want = append(want, id)
					}
				}
				got := m.dueDirty(by)
				slices.Sort(want)
				slices.Sort(got)
				require.Equal(t, want, got)
			},
		})
	})
}
