package route

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestNextOrder checks the choice from a given order, and the order after it (XXL-JOB 2.4.2,
// ExecutorRouteLRU.java).
func TestNextOrder(t *testing.T) {
	const a, b, c = "http://a/", "http://b/", "http://c/"
	for _, test := range []struct {
		name         string
		order, addrs []string
		want         string
		after        []string
	}{
		{"starts with the list", nil, abc, a, []string{b, c, a}},
		{"carries on", []string{b, c, a}, abc, b, []string{c, a, b}},
		{"list order does not matter to known ones", []string{b, c, a}, []string{c, a, b}, b, []string{c, a, b}},
		{"newcomers after all known", []string{c}, abc, c, []string{a, b, c}},
		{"newcomers in list order", []string{a}, []string{c, b, a}, a, []string{c, b, a}},
		{"one that left is dropped", []string{b, c, a}, []string{a, c}, c, []string{a, c}},
		{"nothing known is left", []string{a}, []string{c, b}, c, []string{b, c}},
		{"given twice counts once", nil, []string{a, b, a}, a, []string{b, a}},
		{"single", []string{a}, []string{a}, a, []string{a}},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, got := nextOrder(test.order, test.addrs)
			require.Equal(t, test.want, got)
			require.Equal(t, test.after, after)
		})
	}
}

// TestChooseLRUCycles checks that a new state starts at the beginning of the list (XXL-JOB 2.4.2,
// ExecutorRouteLRU.java).
func TestChooseLRUCycles(t *testing.T) {
	r := New(nil)
	for i := range 10 {
		got, err := r.Choose(t.Context(), xxladapter.RouteLRU, 1, abc)
		require.NoError(t, err)
		require.Equal(t, abc[i%3], got)
	}
}

// lruModel keeps the addresses in a slice that it sorts by the time of use.
type lruModel struct {
	entries []lruEntry
	clock   int
}

type lruEntry struct {
	addr string
	used int
}

func (m *lruModel) choose(addrs []string) string {
	for _, addr := range addrs {
		if !slices.ContainsFunc(m.entries, func(e lruEntry) bool { return e.addr == addr }) {
			m.clock++
			m.entries = append(m.entries, lruEntry{addr, m.clock})
		}
	}
	m.entries = slices.DeleteFunc(m.entries, func(e lruEntry) bool { return !slices.Contains(addrs, e.addr) })
	slices.SortFunc(m.entries, func(x, y lruEntry) int { return x.used - y.used })
	m.clock++
	m.entries[0].used = m.clock
	return m.entries[0].addr
}

func TestChooseLRUAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_000_000, 0)
		r := testRoutes(nil, &now, 0)
		r.intn = noRandom
		models := map[int64]*lruModel{}
		var expiry time.Time
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Hour, 24 * time.Hour, 24*time.Hour + 1}).Draw(t, "pause"))
			if now.After(expiry) {
				clear(models)
				expiry = now.Add(24 * time.Hour)
			}
			jobID := rapid.Int64Range(1, 3).Draw(t, "job")
			if models[jobID] == nil {
				models[jobID] = &lruModel{}
			}
			addrs := drawList(t)
			got, err := r.Choose(t.Context(), xxladapter.RouteLRU, jobID, addrs)
			want := models[jobID].choose(addrs)
			if err != nil || got != want {
				t.Fatalf("step %d: %s, %v, want %s", step, got, err, want)
			}
		}
	})
}
