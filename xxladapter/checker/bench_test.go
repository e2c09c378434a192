package checker

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// manyRuns returns a clean history of about n runs, in random order, of 2,000 jobs. Every fourth
// job fires every 5 s, the others every second.
func manyRuns(n int, dated bool, rows bool) *History {
	const jobs = 2000
	h := &History{Runs: make([]Run, 0, n)}
	for id := int64(1); id <= jobs; id++ {
		conf := "* * * * * ?"
		if id%4 == 0 {
			conf = "0/5 * * * * ?"
		}
		h.Changes = append(h.Changes,
			Change{Job: id, Op: OpCreate, Asked: base - 3000, Acked: base - 2000, Type: xxladapter.ScheduleCron, Conf: conf},
			Change{Job: id, Op: OpStart, Asked: base - 900, Acked: base - 800})
	}
	t := base
	for ; len(h.Runs)+jobs <= n; t += 1000 {
		for id := int64(1); id <= jobs; id++ {
			if id%4 == 0 && t%5000 != 0 {
				continue
			}
			at := t + Instant(len(h.Runs)%97)
			r := Run{Job: id, Log: int64(len(h.Runs) + 1), Due: t, At: at, Start: at, End: at + 20, Code: 200}
			if !dated {
				r.Due = 0
			}
			h.Runs = append(h.Runs, r)
			if rows {
				h.Logs = append(h.Logs, Log{Log: r.Log, Job: id, TriggerCode: 200, HandleCode: 200, Handled: r.End})
				h.Results = append(h.Results, Result{Log: r.Log, Code: 200, At: r.End})
			}
		}
	}
	h.End = t
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(h.Runs), func(i, k int) { h.Runs[i], h.Runs[k] = h.Runs[k], h.Runs[i] })
	return h
}

// BenchmarkCheck judges a million runs, and ten million without -short. It reports the memory that
// the process has taken from the system, with the history.
func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{1_000_000, 10_000_000} {
		for _, c := range []struct {
			name        string
			dated, rows bool
		}{{"dated", true, false}, {"undated", false, false}, {"dated with rows and results", true, true}} {
			b.Run(fmt.Sprintf("%s/runs=%d", c.name, n), func(b *testing.B) {
				if n > 1_000_000 && testing.Short() {
					b.Skip("takes long")
				}
				h := manyRuns(n, c.dated, c.rows)
				shuffled := slices.Clone(h.Runs)
				var after runtime.MemStats
				for b.Loop() {
					copy(h.Runs, shuffled)
					if r := Check(h, Options{}); !r.Clean() || r.Matched < n/2 {
						b.Fatal(r)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(len(h.Runs))*float64(b.N)/b.Elapsed().Seconds(), "runs/s")
				b.ReportMetric(float64(after.Sys)/(1<<20), "MiB-process")
			})
		}
	}
}

func BenchmarkRead(b *testing.B) {
	h := manyRuns(200_000, true, false)
	var text bytes.Buffer
	r := NewRecorder(&text, "bench")
	for _, run := range h.Runs {
		if _, err := r.Run(run); err != nil {
			b.Fatal(err)
		}
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := Read(bytes.NewReader(text.Bytes())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(h.Runs))*float64(b.N)/b.Elapsed().Seconds(), "lines/s")
}
