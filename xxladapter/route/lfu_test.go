package route

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestNextFrequency checks the choice from given counts, and the counts after it (XXL-JOB 2.4.2,
// ExecutorRouteLFU.java).
func TestNextFrequency(t *testing.T) {
	const a, b, c = "http://a/", "http://b/", "http://c/"
	for _, test := range []struct {
		name   string
		counts map[string]int
		addrs  []string
		intn   func(int) int
		want   string
		after  map[string]int
	}{
		{
			"smallest count",
			map[string]int{a: 5, b: 3, c: 4}, abc, noRandom,
			b, map[string]int{a: 5, b: 4, c: 4},
		}, {
			"first in the list among equals",
			map[string]int{a: 3, b: 3, c: 3}, []string{c, a, b}, noRandom,
			c, map[string]int{a: 3, b: 3, c: 4},
		}, {
			"new addresses start at random",
			nil, abc, constant(t, 3, 2),
			a, map[string]int{a: 3, b: 2, c: 2},
		}, {
			"one that left is dropped",
			map[string]int{a: 5, b: 0, c: 9}, []string{a, c}, noRandom,
			a, map[string]int{a: 6, c: 9},
		}, {
			"a newcomer is preferred until it has caught up",
			map[string]int{a: 500, b: 500}, abc, constant(t, 3, 1),
			c, map[string]int{a: 500, b: 500, c: 2},
		}, {
			"maxCount is still a count",
			map[string]int{a: 1_000_000, b: 1_000_000}, []string{a, b}, noRandom,
			a, map[string]int{a: 1_000_001, b: 1_000_000},
		}, {
			"past maxCount starts again",
			map[string]int{a: 1_000_000, b: 1_000_001}, []string{a, b}, constant(t, 2, 1),
			b, map[string]int{a: 1_000_000, b: 2},
		}, {
			"an address given twice counts once, but widens the random range",
			nil, []string{a, b, a}, constant(t, 3, 0),
			a, map[string]int{a: 1, b: 0},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			after, got := nextFrequency(test.counts, test.addrs, test.intn)
			require.Equal(t, test.want, got)
			require.Equal(t, test.after, after)
		})
	}
}

// lfuModel keeps the addresses in a slice that it sorts by count.
type lfuModel []lfuEntry

type lfuEntry struct {
	addr         string
	count, index int
}

func (m *lfuModel) choose(addrs []string, intn func(int) int) string {
	*m = slices.DeleteFunc(*m, func(e lfuEntry) bool { return !slices.Contains(addrs, e.addr) })
	for i, addr := range addrs {
		if slices.Index(addrs, addr) != i {
			continue
		}
		at := slices.IndexFunc(*m, func(e lfuEntry) bool { return e.addr == addr })
		if at < 0 {
			*m = append(*m, lfuEntry{addr: addr, count: 1_000_001})
			at = len(*m) - 1
		}
		if (*m)[at].count > 1_000_000 {
			(*m)[at].count = intn(len(addrs))
		}
		(*m)[at].index = i
	}
	slices.SortFunc(*m, func(x, y lfuEntry) int {
		if x.count != y.count {
			return x.count - y.count
		}
		return x.index - y.index
	})
	(*m)[0].count++
	return (*m)[0].addr
}

func TestNextFrequencyAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		mine := rand.New(rand.NewPCG(seed, 0)).IntN
		models := rand.New(rand.NewPCG(seed, 0)).IntN
		counts := rapid.MapOf(
			rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}),
			rapid.SampledFrom([]int{0, 1, 2, 999_999, 1_000_000, 1_000_001}),
		).Draw(t, "counts")
		var model lfuModel
		for addr, count := range counts {
			model = append(model, lfuEntry{addr: addr, count: count})
		}
		for step := range rapid.IntRange(1, 30).Draw(t, "steps") {
			addrs := drawList(t)
			var got string
			counts, got = nextFrequency(counts, addrs, mine)
			if want := model.choose(addrs, models); got != want {
				t.Fatalf("step %d: %s, want %s; model %v, counts %v", step, got, want, model, counts)
			}
			for _, e := range model {
				if counts[e.addr] != e.count {
					t.Fatalf("step %d: counts %v, model %v", step, counts, model)
				}
			}
			if len(counts) != len(model) {
				t.Fatalf("step %d: counts %v, model %v", step, counts, model)
			}
		}
	})
}

func TestChooseLFUAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		now := time.Unix(1_000_000, 0)
		seed := rapid.Uint64().Draw(t, "seed")
		r := testRoutes(nil, &now, seed)
		intn := rand.New(rand.NewPCG(seed, 0)).IntN
		models := map[int64]*lfuModel{}
		var expiry time.Time
		for step := range rapid.IntRange(1, 40).Draw(t, "steps") {
			now = now.Add(rapid.SampledFrom([]time.Duration{0, time.Hour, 24 * time.Hour, 24*time.Hour + 1}).Draw(t, "pause"))
			if now.After(expiry) {
				clear(models)
				expiry = now.Add(24 * time.Hour)
			}
			jobID := rapid.Int64Range(1, 3).Draw(t, "job")
			if models[jobID] == nil {
				models[jobID] = &lfuModel{}
			}
			addrs := drawList(t)
			got, err := r.Choose(t.Context(), xxladapter.RouteLFU, jobID, addrs)
			want := models[jobID].choose(addrs, intn)
			if err != nil || got != want {
				t.Fatalf("step %d: %s, %v, want %s", step, got, err, want)
			}
		}
	})
}

// drawList draws a short list, sometimes with a duplicate address.
func drawList(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}), 1, 6).Draw(t, "addrs")
}
