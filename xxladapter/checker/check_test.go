package checker

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestCleanHistories checks that everything that is tolerated is clean.
func TestCleanHistories(t *testing.T) {
	for seed := range uint64(300) {
		w := newWorld(seed, 24, 150_000)
		if r := Check(w.history(), Options{}); !r.Clean() {
			t.Fatalf("seed %d: %v", seed, r)
		}
	}
}

// TestPlantedFaults plants random faults, at most one in each job, and checks that exactly those
// are reported.
func TestPlantedFaults(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64Range(0, 1<<32).Draw(rt, "seed")
		n := rapid.IntRange(0, 12).Draw(rt, "faults")
		w := newWorld(seed, 36, 150_000)
		var planted []key
		for range n {
			kind := Kind(rapid.IntRange(0, int(kinds)-1).Draw(rt, "kind"))
			planted = append(planted, w.plantSomewhere(kind, planted)...)
		}
		if diff := compare(planted, Check(w.history(), Options{MaxViolations: 1000})); diff != "" {
			rt.Fatal(diff)
		}
	})
}

// plantSomewhere plants a fault into a job that has none, if there is a suitable one.
func (w *world) plantSomewhere(kind Kind, planted []key) []key {
	for _, i := range w.dice.Perm(len(w.jobs)) {
		j := w.jobs[i]
		if slices.ContainsFunc(planted, func(k key) bool { return k.job == j.id }) {
			continue
		}
		if k, ok := w.plant(kind, j); ok {
			return []key{k}
		}
	}
	return nil
}

// TestEachFaultAlone plants one fault of each kind into small histories, and into ten thousand
// correct runs.
func TestEachFaultAlone(t *testing.T) {
	for kind := range kinds {
		t.Run(kind.String(), func(t *testing.T) {
			seen := 0
			for seed := uint64(0); seed < 40; seed++ {
				w := newWorld(seed, 24, 150_000)
				planted := w.plantSomewhere(kind, nil)
				seen += len(planted)
				require.Empty(t, compare(planted, Check(w.history(), Options{MaxViolations: 1000})), "seed %d", seed)
			}
			require.GreaterOrEqual(t, seen, 5, "histories that could take the fault")

			for seed := uint64(1000); ; seed++ {
				require.Less(t, seed, uint64(1050), "no large history could take the fault")
				w := newWorld(seed, 96, 720_000)
				planted := w.plantSomewhere(kind, nil)
				if len(planted) == 0 {
					continue
				}
				h := w.history()
				require.Greater(t, len(h.Runs), 10_000)
				require.Empty(t, compare(planted, Check(h, Options{MaxViolations: 1000})), "seed %d", seed)
				break
			}
		})
	}
}

// compare describes how a report differs from the planted faults.
func compare(planted []key, r *Report) string {
	var got, want []string
	for i := range r.Violations {
		got = append(got, keyOf(&r.Violations[i]).String())
	}
	for _, k := range planted {
		want = append(want, k.String())
	}
	slices.Sort(got)
	slices.Sort(want)
	if r.Err == nil && slices.Equal(got, want) {
		return ""
	}
	return fmt.Sprintf("planted:\n%s\nreported:\n%s\n%v", strings.Join(want, "\n"), strings.Join(got, "\n"), r)
}
