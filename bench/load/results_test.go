package main

import (
	"bytes"
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

var (
	writeTo = flag.String("write", "", "`folder` for scheduler.txt and scheduler.md, with the figures of all measurements on all stores")
	only    = flag.String("stores", "", "with -write: the `kinds` of stores that are measured, such as postgres,redis; empty means all")
	parts   = flag.String("parts", "trip,burst,scan,idle,crowd", "with -write: which `measurements` are made")
	most    = flag.Int("most", 0, "with -write: `jobs` that are due on the same second; 0 means what each store should carry")
	rounds  = flag.Int("rounds", 3, "with -write: how `often` to measure all but the crowd")
	short   = flag.Bool("short-results", false, "with -write: small sizes and one round, to see whether it works")
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == executorArg {
		main()
		return
	}
	testserver.Main(m)
}

// A measuredStore is a kind of store that TestResults measures.
type measuredStore struct {
	name  string
	empty func() []string // returns the flags that name an empty store
	most  int             // jobs that are due at once every second: what it should carry
}

// Each measurement ends with a line of figures, and all of them make a table.
func TestMeasurements(t *testing.T) {
	testserver.Long(t)
	nats := filepath.Join(t.TempDir(), "nats-server")
	build := exec.Command("go", "build", "-o", nats, "github.com/nats-io/nats-server/v2")
	build.Dir = filepath.Join("..", "..", "xxladapter", "queue", "queuetest")
	built, err := build.CombinedOutput()
	require.NoError(t, err, "%s", built)
	lists := [][]string{
		{"trip", "-jobs", "20", "-for", "2s"},
		{"trip", "-jobs", "20", "-for", "2s", "-store", "memory"},
		{"trip", "-jobs", "20", "-for", "2s", "-store", testserver.Postgres(t), "-redis", testserver.Redis(t)},
		{"trip", "-jobs", "20", "-for", "2s", "-store", "memory", "-queue", nats},
		{"scan", "-jobs", "1000"},
		{"crowd", "-jobs", "1000", "-for", "1s"},
		{"crowd", "-jobs", "1000", "-for", "1s", "-nodes", "3"},
		{"idle", "-jobs", "100", "-for", "1s"},
	}
	outs := make([]strings.Builder, len(lists))
	var running errgroup.Group // at the same time, because most of each measurement is waiting
	for i, args := range lists {
		running.Go(func() error { return run(t.Context(), &outs[i], args) })
	}
	require.NoError(t, running.Wait())
	all := new(strings.Builder)
	for i := range outs {
		all.WriteString(outs[i].String())
	}
	for _, part := range []string{
		"BenchmarkTrip/store=sqlite/jobs=20\t1\t", " trips/s\t0 without-result\t0 failed\t0 misfires\t0 early\t",
		"BenchmarkTrip/store=memory/jobs=20\t1\t", " scheduler-µs/trip\t", " executor-µs/trip\n",
		"BenchmarkTripOverQueue/store=memory/jobs=20\t1\t", " broker-µs/trip\n",
		"BenchmarkTrip/store=redis/jobs=20\t1\t", " redis-µs/trip\t",
		"BenchmarkScan/store=sqlite/jobs=1000\t1\t1000 fires\t",
		"BenchmarkCrowd/store=sqlite/jobs=1000\t1\t2 due/s\t", "BenchmarkCrowdOfNodes/store=sqlite/jobs=1000\t1\t2 due/s\t", "\t3 nodes\t", "BenchmarkIdle/store=sqlite/jobs=100\t1\t",
	} {
		require.Contains(t, all.String(), part)
	}
	require.Contains(t, resultTable(t, all.String()), "| 1000 jobs due at one instant: fire records durable after, s |")
}

// TestResults writes bench/results/scheduler.txt and scheduler.md: see make bench-scheduler.
func TestResults(t *testing.T) {
	if *writeTo == "" {
		t.Skip("measures all stores; set -write to run it")
	}
	maria, postgres, redis := testserver.StartMariaDB(t), testserver.StartPostgres(t), testserver.StartRedis(t)
	type place = []string // flags that name a store
	stores := []measuredStore{
		{"sqlite", func() place { return place{"-store", "sqlite"} }, 3000},
		{"journal", func() place { return place{"-store", "journal"} }, 6000},
		{"mysql", func() place {
			url := maria.Database(t)
			require.NoError(t, sqlstore.MigrateMySQL(t.Context(), url, true, sqlstore.Options{Logger: logger}))
			return place{"-store", url}
		}, 4000},
		{"postgres", func() place { return place{"-store", postgres.Database(t)} }, 4500},
		{"redis", func() place { return place{"-store", postgres.Database(t), "-redis", redis.URL("0")} }, 6000},
	}
	stores = slices.DeleteFunc(stores, func(s measuredStore) bool {
		return *only != "" && !slices.Contains(strings.Split(*only, ","), s.name)
	})
	times, few, batched, many, crowded, long, longer := *rounds, 500, 9000, 100_000, 1_000_000, "20s", "60s"
	if *short {
		times, few, batched, many, crowded, long, longer = 1, 50, 100, 5000, 10_000, "3s", "3s"
	}
	var raw bytes.Buffer
	describe(t, &raw, maria.Database(t), postgres.Database(t), redis.URL("0"))
	program := filepath.Join(t.TempDir(), "load")
	built, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput()
	require.NoError(t, err, string(built))
	save := func() {
		text := raw.String()
		require.NoError(t, os.WriteFile(filepath.Join(*writeTo, "scheduler.txt"), []byte(text), 0o644))
		require.NoError(t, os.WriteFile(filepath.Join(*writeTo, "scheduler.md"), []byte(resultPage(t, text)), 0o644))
	}
	// Each measurement runs in a process of its own, so that its peak memory is its own.
	measure := func(part string, place []string, args ...string) {
		t.Helper()
		if !slices.Contains(strings.Split(*parts, ","), part) {
			return
		}
		out, err := exec.CommandContext(t.Context(), program, append(args, place...)...).Output()
		require.NoError(t, err)
		for line := range strings.Lines(string(out)) {
			if strings.HasPrefix(line, "Benchmark") {
				raw.WriteString(line)
				t.Log(strings.TrimSpace(line))
			}
		}
		save() // keeps the figures of a run that is interrupted
	}
	for range times { // in turn, so that a busy moment of the machine hits all stores
		for _, s := range stores {
			due := s.most
			switch {
			case *short:
				due = 100
			case *most > 0:
				due = *most
			}
			measure("trip", s.empty(), "trip", "-jobs", strconv.Itoa(few), "-for", long)
			measure("burst", s.empty(), "trip", "-burst", "-jobs", strconv.Itoa(due), "-for", longer)
			measure("scan", s.empty(), "scan", "-jobs", strconv.Itoa(many))
			measure("idle", s.empty(), "idle", "-jobs", strconv.Itoa(many), "-for", long)
			if s.name == "journal" {
				measure("burst", s.empty(), "trip", "-burst", "-batch", "-jobs", strconv.Itoa(batched), "-for", longer)
			}
		}
	}
	for _, s := range stores {
		for _, nodes := range []string{"1", "3"} {
			if nodes != "1" && s.name == "journal" {
				continue // one scheduler has the file for itself
			}
			place := s.empty()
			if s.name == "mysql" { // as its users are advised to
				_, err := sqlstore.DueIndexMySQL(t.Context(), place[1], true, sqlstore.Options{Logger: logger})
				require.NoError(t, err)
			}
			measure("crowd", place, "crowd", "-jobs", strconv.Itoa(crowded), "-for", long, "-nodes", nodes)
		}
	}
	fmt.Fprintf(&raw, "# load average at the end: %s\n", loadAverage())
	save()
}

// describe heads the raw output with what is needed to judge it and to run it again.
func describe(t *testing.T, raw *bytes.Buffer, maria, postgres, redis string) {
	t.Helper()
	output := func(name string, args ...string) string {
		out, err := exec.CommandContext(t.Context(), name, args...).Output()
		require.NoError(t, err)
		return strings.TrimSpace(string(out))
	}
	version := func(place, query string) (version string) {
		db, err := openDatabase(place)
		require.NoError(t, err)
		defer db.Close()
		require.NoError(t, db.QueryRowContext(context.Background(), query).Scan(&version))
		return version
	}
	commit := output("git", "rev-parse", "--short", "HEAD")
	if output("git", "status", "--porcelain", "--", "../..", ":!../results") != "" {
		commit += " with changes"
	}
	command := fmt.Sprintf("make bench-scheduler ROUNDS=%d", *rounds)
	if *short {
		command += " ARGS=-short-results"
	}
	system, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	for _, line := range [][2]string{
		{"command", command},
		{"date", time.Now().UTC().Format(time.DateOnly)},
		{"commit", commit},
		{"go", runtime.Version()},
		{"os", strings.TrimSpace(runtime.GOOS + " " + string(system))},
		{"processors", machine()},
		{"MariaDB", version(maria, "SELECT version()")},
		{"PostgreSQL", version(postgres, "SHOW server_version")},
		{"Redis", redisVersion(t, redis)},
		{"load average at the start", loadAverage()},
	} {
		fmt.Fprintf(raw, "# %s: %s\n", line[0], line[1])
	}
	fmt.Fprintf(raw, "goos: %s\ngoarch: %s\n", runtime.GOOS, runtime.GOARCH)
}

func redisVersion(t *testing.T, url string) string {
	found, err := askRedis(t.Context(), url, "server")
	require.NoError(t, err)
	return found["redis_version"]
}

func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if f := strings.Fields(string(b)); err == nil && len(f) >= 3 {
		return strings.Join(f[:3], " ")
	}
	return "unknown"
}

// resultPage returns scheduler.md.
func resultPage(t *testing.T, raw string) string {
	t.Helper()
	page := new(strings.Builder)
	page.WriteString("# Results of the scheduler\n\nWritten by `make bench-scheduler` from [scheduler.txt](scheduler.txt), which benchstat reads.\n\n")
	for line := range strings.Lines(raw) {
		if rest, ok := strings.CutPrefix(line, "# "); ok {
			page.WriteString("    " + rest)
		}
	}
	page.WriteString("\nScheduler, executor and database share the processors. Every commit is synced. Medians of the rounds;\n" +
		"the crowd is measured once. MariaDB has the index of `xxlwheel migrate --due-index` for the crowd. A\n" +
		"trip is a fire record, a run request over HTTP, the run, its result and its log row. Lateness is from\n" +
		"the due time until the run request is sent.\n\n")
	page.WriteString(resultTable(t, raw))
	return page.String()
}

// resultTable returns the figures as a table with a column for each store.
func resultTable(t *testing.T, raw string) string {
	t.Helper()
	type key struct{ name, jobs, store, unit string }
	values := map[key][]float64{}
	var sizes []key // of each measurement, without store and unit
	for line := range strings.Lines(raw) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		name, ok := strings.CutPrefix(fields[0], "Benchmark")
		if !ok {
			continue
		}
		parts := strings.Split(name, "/")
		require.GreaterOrEqual(t, len(parts), 3, line)
		k := key{name: strings.Join(append(parts[:1:1], parts[3:]...), "/"), store: strings.TrimPrefix(parts[1], "store="), jobs: strings.TrimPrefix(parts[2], "jobs=")}
		if len(parts) > 3 { // each store at a rate of its own, in one row
			jobs, err := strconv.ParseFloat(k.jobs, 64)
			require.NoError(t, err, line)
			k.jobs, k.unit = "", "jobs"
			values[k] = append(values[k], jobs)
		}
		if size := (key{name: k.name, jobs: k.jobs}); !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
		for _, f := range fields[2:] {
			var v float64
			v, k.unit = figureOf(t, f)
			values[k] = append(values[k], v)
		}
	}
	slices.SortStableFunc(sizes, func(a, b key) int {
		return cmp.Compare(slices.Index(resultOrder, a.name), slices.Index(resultOrder, b.name))
	})
	table := new(strings.Builder)
	table.WriteString("| | SQLite | the same with a journal | MariaDB | PostgreSQL | the same behind Redis |\n|---|---:|---:|---:|---:|---:|\n")
	for _, size := range sizes {
		for _, row := range resultRows {
			if row.name != size.name {
				continue
			}
			cells := new(strings.Builder)
			some := false
			for _, store := range []string{"sqlite", "journal", "mysql", "postgres", "redis"} {
				cell := "-"
				for _, unit := range row.units { // the databases count their work in units of their own
					if v := values[key{size.name, size.jobs, store, unit}]; len(v) > 0 {
						slices.Sort(v)
						cell, some = shown(v[len(v)/2]), true
					}
				}
				fmt.Fprintf(cells, " %s |", cell)
			}
			if some {
				fmt.Fprintf(table, "| %s |%s\n", strings.ReplaceAll(row.text, "{jobs}", size.jobs), cells)
			}
		}
	}
	return table.String()
}

// figureOf reads a figure of a line of results.
func figureOf(t *testing.T, text string) (value float64, unit string) {
	number, unit, _ := strings.Cut(text, " ")
	value, err := strconv.ParseFloat(number, 64)
	if err != nil {
		t.Errorf("%q is no figure: %v", text, err)
	}
	return value, unit
}

// shown returns a figure with three digits, or as many as its integer part has.
func shown(v float64) string {
	if v >= 100 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 3, 64)
}

// resultOrder is the order of the measurements in the table.
var resultOrder = []string{"Trip", "Trip/burst", "Trip/burst/batch", "Scan", "Crowd", "CrowdOfNodes", "Idle"}

// A resultRow is a row of the table.
type resultRow struct {
	name, text string
	units      []string
}

// resultRows are the rows of the table.
var resultRows = slices.Concat(
	tripRows("Trip", "{jobs} jobs, spread over every second"),
	[]resultRow{{"Trip/burst", "N jobs due on the same second, every second: N", []string{"jobs"}}},
	tripRows("Trip/burst", "N on the same second"),
	[]resultRow{{"Trip/burst/batch", "N on the same second, batches of runs to our executor: N", []string{"jobs"}}},
	tripRows("Trip/burst/batch", "N on the same second, batches"),
	[]resultRow{
		{"Scan", "{jobs} jobs due at one instant: fire records durable after, s", []string{"durable-s"}},
		{"Scan", "{jobs} jobs due at one instant: jobs planned a second", []string{"jobs/s"}},
		{"Crowd", "{jobs} jobs, 1 in 500 due every second: scans at the 50th percentile, ms", []string{"scan-p50-ms"}},
		{"Crowd", "{jobs} jobs, 1 in 500 due every second: scans at the 99th percentile, ms", []string{"scan-p99-ms"}},
		{"CrowdOfNodes", "the same with three schedulers: scans at the 50th percentile, ms", []string{"scan-p50-ms"}},
		{"CrowdOfNodes", "the same with three schedulers: scans at the 99th percentile, ms", []string{"scan-p99-ms"}},
		{"Idle", "{jobs} jobs, none due: statements (PostgreSQL: transactions) a second", []string{"statements/s", "transactions/s"}},
		{"Idle", "{jobs} jobs, none due: share of a processor, %", []string{"%-of-a-core"}},
		{"Idle", "{jobs} jobs, none due: resident memory at most, MiB", []string{"peak-MiB"}},
	})

// tripRows returns the rows about whole trips under a load.
func tripRows(name, load string) []resultRow {
	return []resultRow{
		{name, load + ": whole trips a second", []string{"trips/s"}},
		{name, load + ": lateness at the 50th percentile, ms", []string{"late-p50-ms"}},
		{name, load + ": lateness at the 99th percentile, ms", []string{"late-p99-ms"}},
		{name, load + ": misfires", []string{"misfires"}},
		{name, load + ": sent early", []string{"early"}},
		{name, load + ": processor time of the scheduler a trip, µs", []string{"scheduler-µs/trip"}},
		{name, load + ": processor time of the executor a trip, µs", []string{"executor-µs/trip"}},
		{name, load + ": processor time of the database server a trip, µs", []string{"database-µs/trip"}},
		{name, load + ": processor time of Redis a trip, µs", []string{"redis-µs/trip"}},
		{name, load + ": resident memory of the scheduler at most, MiB", []string{"peak-MiB"}},
		{name, load + ": memory of Redis at most, MiB", []string{"redis-peak-MiB"}},
	}
}
