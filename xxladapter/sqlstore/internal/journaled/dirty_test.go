package journaled

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestDueDirty compares the shortcut of dueDirty with a look at each job. A caller that keeps what
// dueDirty has returned knows each due job until it moves.
func TestDueDirty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, known := newMemory(), map[int64]bool{}
		at := func(seconds int) time.Time { return time.Unix(1_800_000_000+int64(seconds), 0).UTC() }
		for id := range int64(5) {
			m.addJob(&xxladapter.Job{ID: id})
		}
		t.Repeat(map[string]func(*rapid.T){
			"move": func(t *rapid.T) {
				j := m.jobs[rapid.Int64Range(0, 4).Draw(t, "job")]
				next := at(rapid.IntRange(0, 20).Draw(t, "next"))
				m.moveJob(j, time.Time{}, next, rapid.Bool().Draw(t, "running"))
				delete(known, j.ID)
			},
			"write":  func(t *rapid.T) { delete(m.dirtyJob, rapid.Int64Range(0, 4).Draw(t, "job")) },
			"forget": func(*rapid.T) { m.soonest, known = time.Time{}, map[int64]bool{} },
			"look": func(t *rapid.T) {
				by := at(rapid.IntRange(-1, 21).Draw(t, "by"))
				got := m.dueDirty(by)
				for _, id := range got {
					known[id] = true
					require.NotNil(t, m.dirtyJob[id])
					require.True(t, m.jobs[id].isDue(by))
				}
				for id, j := range m.dirtyJob {
					require.True(t, known[id] || !j.isDue(by), "job %d", id)
				}
			},
		})
	})
}
