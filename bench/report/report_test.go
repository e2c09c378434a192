package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// output is what a test binary prints with -test.v.
const output = `goos: linux
BenchmarkPending
BenchmarkPending/timer=wheel/pending=1M
BenchmarkPending/timer=wheel/pending=1M/memory
BenchmarkPending/timer=wheel/pending=1M/memory-2         	       1	        73.5 B/timeout	         2.5 gc-ms
BenchmarkPending/timer=goroutine/pending=1M
    bench_test.go:16: not filled with more than 100k: a goroutine takes some 3 KiB
--- SKIP: BenchmarkPending/timer=goroutine/pending=1M
BenchmarkFire/timer=wheel/due=1M/at=once
    bench_test.go:20: 9 of 10 fired
--- FAIL: BenchmarkFire/timer=wheel/due=1M/at=once
PASS
`

func TestKeepHasResultsAndReasons(t *testing.T) {
	var b strings.Builder
	require.NoError(t, keep(&b, []byte(output), true))
	require.Equal(t, strings.Join([]string{
		"BenchmarkPending/timer=wheel/pending=1M/memory-2         	       1	        73.5 B/timeout	         2.5 gc-ms",
		"absent: BenchmarkPending/timer=goroutine/pending=1M: not filled with more than 100k: a goroutine takes some 3 KiB",
		"# failed: --- FAIL: BenchmarkFire/timer=wheel/due=1M/at=once: 9 of 10 fired",
		"",
	}, "\n"), b.String())
}

// rowsToFill are the rows of a table of figures below its head.
const rowsToFill = `|---|---|
| pair | 1 |
| 5 M | |
| all | |
| bytes | |
| gc | |
| early | |
`

// The READMEs keep what they have if a measurement had less than ten rounds.
func TestFiguresOfFewRoundsAreNotPublished(t *testing.T) {
	const text = "text\n" + figuresMark + "| old | A |\n" + rowsToFill
	file := filepath.Join(t.TempDir(), "README.md")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
	r := &results{head: slices.Repeat([]string{"round 1 took 2m1s"}, 9)}
	require.EqualError(t, writeREADMEs([]string{file}, r),
		"the READMEs keep their figures: there are 9 rounds, must be at least 10")
	kept, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, text, string(kept))

	r.head = append(r.head, "round 10 took 2m1s")
	require.NoError(t, writeREADMEs([]string{file}, r))
	written, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(written), "n = 10")
}

// The READMEs have the figures of the raw output that is committed.
func TestTheFiguresOfTheREADMEsAreThoseOfTheRawOutput(t *testing.T) {
	r, err := readResults(filepath.Join(published, "raw.txt"))
	require.NoError(t, err)
	for _, file := range readmes {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		same, err := withFigures(string(text), r)
		require.NoError(t, err, file)
		require.Equal(t, string(text), same, "%s: go -C bench/report run . -from ../results/raw.txt", file)
	}
}

// The report has the tables of the raw output beside it, with today's titles and notes.
func TestTheReportIsThatOfTheRawOutput(t *testing.T) {
	r, err := readResults(filepath.Join(published, "raw.txt"))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(published, "report.md"))
	require.NoError(t, err)
	var b strings.Builder
	require.NoError(t, writeTables(&b, r))
	require.Equal(t, b.String(), string(text), "go -C bench/report run . -from ../results/raw.txt")
}

func TestATableOfFiguresIsFilled(t *testing.T) {
	r := &results{
		head:   []string{"date: 2026-11-26", "commit: a45df28e", "processors: 2, AMD EPYC", "round 1 took 2m1s"},
		timers: []string{"wheel", "antlabs", "Netty"},
		values: map[series][]float64{
			{"BenchmarkPending/timer=wheel/pending=0/startstop/goroutines=1", "ns/op"}:   {70.6},
			{"BenchmarkPending/timer=antlabs/pending=0/startstop/goroutines=1", "ns/op"}: {133},
			{"BenchmarkLateness/timer=antlabs/due=20k/tick=10ms", "early"}:               {3},
			{"BenchmarkLateness/timer=antlabs/due=20k/tick=10ms", "fires"}:               {20},
			{"BenchmarkPending/timer=Netty/pending=5M/memory", "gc-ms"}:                  {490},
		},
	}
	const head = "text\n" + figuresMark
	got, err := withFigures(head+"| old | A | B |\n"+rowsToFill+"more\n", r)
	require.NoError(t, err)
	require.Equal(t, head+`| `+"`a45df28e`"+`, 2026-11-26, 2 × AMD EPYC, n = 1 | A | B |
|---|---|
| pair | – | 71 | – | – | – | 133 antlabs | – |
| 5 M | – | – | – | – | – | – | – |
| all | – | – | – | – | – | – | – |
| bytes | – | – | – | – | – | – | – |
| gc | – | – | – | – | – | – | 490 |
| early | – | – | – | – | – | 15 % antlabs | – |
more
`, got)
	_, err = withFigures("no table", r)
	require.ErrorContains(t, err, "there is no line")
	_, err = withFigures(head+"| a |\n", r)
	require.ErrorContains(t, err, "less than 6 rows")
}

// The share of early runs is rounded, and is at least 1 % where some were early.
func TestShareOfEarlyRuns(t *testing.T) {
	for early, want := range map[float64]string{0: "0", 1: "1 %", 702: "70 %", 706: "71 %", 1000: "100 %"} {
		r := &results{values: map[series][]float64{
			{"BenchmarkLateness/timer=antlabs/due=1k/tick=10ms", "early"}: {early},
			{"BenchmarkLateness/timer=antlabs/due=1k/tick=10ms", "fires"}: {1000},
		}}
		require.Equal(t, want, r.earlyShare("antlabs"), "%v of 1000", early)
	}
}

func TestReadResults(t *testing.T) {
	raw := filepath.Join(t.TempDir(), "raw.txt")
	require.NoError(t, os.WriteFile(raw, []byte(`# go: go1.26
# round 1 took 1m54s; load average then: 1.25 1.67 4.14
# round 2 took 1m49s; load average then: 1.27 1.54 3.81
BenchmarkPending/timer=wheel/pending=0/startstop/goroutines=1-2 100 50 ns/op 60 cpu-ns/op
BenchmarkPending/timer=wheel/pending=0/startstop/goroutines=1-2 100 70 ns/op 80 cpu-ns/op
BenchmarkPending/timer=wheel/pending=0/startstop/goroutines=1-2 100 52 ns/op 61 cpu-ns/op
BenchmarkEarly/timer=wheel/due=10M/goroutines=1-2 1 3 early 10000000 fires 15.5 max-ms -0.25 min-ms
BenchmarkTick/timer=wheel/pending=10M/due=none-2 1 0.02 cpu-% 2 cpu-us/tick
BenchmarkTick/timer=wheel/pending=10M/due=each-2 1 1.5 cpu-% 150 cpu-us/tick
absent: BenchmarkPending/timer=goroutine/pending=1M: too large
`), 0o600))
	r, err := readResults(raw)
	require.NoError(t, err)
	require.Equal(t, "go: go1.26", r.head[0])
	require.Equal(t, []string{"wheel", "goroutine"}, r.timers)
	median, ok := r.median("BenchmarkPending/timer=wheel/pending=0/startstop/goroutines=1", "cpu-ns/op")
	require.True(t, ok)
	require.Equal(t, 61.0, median)
	require.Equal(t, map[string]string{"BenchmarkPending/timer=goroutine/pending=1M": "too large"}, r.absent)

	// Tables and charts can be made even from so few results.
	var b strings.Builder
	require.NoError(t, writeTables(&b, r))
	require.Contains(t, b.String(), "Medians of 2 rounds,")
	require.Contains(t, b.String(), "| **wheel** | 52.0 ±∞ |")
	require.Contains(t, b.String(), "| **wheel** | 3 | 10000000 | -0.25 | 15.5 |")
	require.Contains(t, b.String(), "| **wheel** | 10M | 0.020 | 1.50 | 150 |")
	require.NoError(t, drawAll(t.TempDir(), r))
}
