package main

import (
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var (
	oldBuild   = flag.String("old", "", "`program` of this package, which -new is compared with")
	newBuild   = flag.String("new", "", "`program` of this package whose processor time a trip is compared with that of -old")
	pairs      = flag.Int("pairs", 40, "with -new: `how` often both are measured")
	buildStore = flag.String("build-store", "sqlite", "with -new: `where` they keep their jobs: sqlite, journal, mysql or postgres")
	buildLoad  = flag.String("build-load", "-burst -jobs 500 -for 8s -texts off", "with -new: `flags` of trip")
)

// TestBuilds compares two builds of this program by the processor time that scheduler and database
// take for a trip. The two builds of a pair run at the same time, each on a server of its own, so
// that other load on the machine hits both. The next pair exchanges the servers. A build compared
// with itself shows how small a difference can be seen.
func TestBuilds(t *testing.T) {
	if *newBuild == "" {
		t.Skip("measures for minutes; set -old and -new to run it")
	}
	var empty [2]func() string // return the place of an empty store, each on a server of its own
	for i := range empty {
		empty[i] = emptyStore(t, *buildStore)
	}
	ratios := make([]float64, *pairs)
	for i := range ratios {
		var used [2]float64
		var both sync.WaitGroup
		for side, program := range []string{*oldBuild, *newBuild} {
			place := empty[(i+side)%2]()
			both.Go(func() { used[side] = tripTime(t, program, place) })
		}
		both.Wait()
		ratios[i] = used[1] / used[0]
		t.Logf("pair %d: old %.1f, new %.1f µs/trip, ratio %.3f", i+1, used[0], used[1], ratios[i])
	}
	slices.Sort(ratios)
	low, median, high := medianInterval(ratios)
	fmt.Printf("%s: new/old %.3f, between %.3f and %.3f with 95 %% confidence, %d pairs of trip %s\n", *buildStore, median, low, high, len(ratios), *buildLoad)
}

// emptyStore returns a function that returns the place of an empty store. All stores of one
// function are on one server.
func emptyStore(t *testing.T, kind string) func() string {
	switch kind {
	case "mysql":
		server := testserver.StartMariaDB(t)
		return func() string {
			place := server.Database(t)
			require.NoError(t, sqlstore.MigrateMySQL(t.Context(), place, true, sqlstore.Options{Logger: logger}))
			return place
		}
	case "postgres":
		server := testserver.StartPostgres(t)
		return func() string { return server.Database(t) }
	}
	return func() string { return kind }
}

// tripTime runs a build and returns the processor time that its scheduler and its database server
// took for a trip, in microseconds; 0 if it failed.
func tripTime(t *testing.T, program, place string) (used float64) {
	args := append([]string{"trip", "-store", place}, strings.Fields(*buildLoad)...)
	out, err := exec.CommandContext(t.Context(), program, args...).Output()
	if err != nil {
		t.Errorf("%s %q: %v", program, args, err)
		return 0
	}
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "Benchmark") {
			continue
		}
		for _, f := range strings.Split(strings.TrimSpace(line), "\t")[2:] {
			if value, unit := figureOf(t, f); unit == "scheduler-µs/trip" || unit == "database-µs/trip" {
				used += value
			}
		}
	}
	return used
}

// medianInterval returns the median of sorted values, and two of the values between which the
// median of all that could be measured lies with 95 % confidence. It assumes nothing of their
// distribution. Fewer than six values cannot tell so much; then it returns the first and the last
// one.
func medianInterval(sorted []float64) (low, median, high float64) {
	n := len(sorted)
	// The median is below the value at position k, counted from 0, if at most k of the n values are
	// below the median. Each is so with probability one half, as in n tosses of a coin.
	ways, below, all := 1.0, 0.0, 1.0
	for range n {
		all *= 2
	}
	k := 0
	for ; k < n/2; k++ {
		below += ways
		if below > 0.025*all {
			break
		}
		ways = ways * float64(n-k) / float64(k+1)
	}
	k = max(k-1, 0)
	return sorted[k], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-1-k]
}

// The intervals are those that tables of the sign test have.
func TestMedianInterval(t *testing.T) {
	for n, position := range map[int]int{1: 1, 5: 1, 6: 1, 8: 1, 9: 2, 12: 3, 20: 6, 40: 14, 100: 40} {
		values := make([]float64, n)
		for i := range values {
			values[i] = float64(i + 1)
		}
		low, median, high := medianInterval(values)
		require.Equal(t, []float64{float64(position), float64(n+1) / 2, float64(n + 1 - position)}, []float64{low, median, high}, "%d values", n)
	}
}
