package executor

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestQuietLogsAgreeWithAMap adds logs under ids that mostly grow, reads some of them in between,
// and compares with a map. Sometimes the executor dies in the middle of a line and restarts, or the
// file is deleted.
func TestQuietLogsAgreeWithAMap(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		rng := rand.New(rand.NewPCG(seed, 0))
		dir, want, next := t.TempDir(), map[int64]string{}, int64(1)
		path := filepath.Join(dir, day(0), quietName)
		q := &quietLogs{dir: dir, logger: quietLogger()}
		for step := range 1500 {
			id := next - rng.Int64N(min(next, 5))
			next += rng.Int64N(3)
			text := fmt.Sprintf("run %d, step %d\n%s", id, step, strings.Repeat("x", rng.IntN(400)))
			if rng.IntN(200) == 0 {
				text += strings.Repeat("long ", 40_000)
			}
			q.add(id, 0, []byte(text))
			want[id] = text
			switch rng.IntN(200) {
			case 0:
				q.flush()
				f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
				require.NoError(t, err)
				_, err = fmt.Fprintf(f, "%d \"torn", id)
				require.NoError(t, err)
				require.NoError(t, f.Close())
				next++
				q = &quietLogs{dir: dir, logger: quietLogger()}
			case 1:
				q.flush()
				require.NoError(t, os.Remove(path))
				clear(want)
			case 2:
				q.flush()
			}
			asked := 1 + rng.Int64N(next)
			if got, ok := q.find(asked, day(0)); ok || want[asked] != "" {
				require.Equal(t, want[asked], got, "seed %d step %d id %d", seed, step, asked)
			}
		}
		q.flush()
		for id, text := range want {
			got, ok := q.find(id, day(0))
			require.True(t, ok, "seed %d id %d", seed, id)
			require.Equal(t, text, got)
		}
		_, ok := q.find(1, "2001-02-03")
		require.False(t, ok)
	}
}

// TestAnIndexReadsOnlyWhatIsNew checks that a day is read once, however many logs are requested.
func TestAnIndexReadsOnlyWhatIsNew(t *testing.T) {
	q := &quietLogs{dir: t.TempDir(), logger: quietLogger()}
	text := []byte(strings.Repeat("x", 100))
	add := func(from, to int64) {
		for id := from; id < to; id++ {
			q.add(id, 0, text)
		}
		q.flush()
	}
	const logs = 3000
	add(0, logs)
	_, ok := q.find(0, day(0))
	require.True(t, ok)
	x := q.indexes[0]
	end := x.end()
	for i, p := range x.parts {
		if i < len(x.parts)-1 {
			require.GreaterOrEqual(t, p.end-p.begin, int64(quietPartSize))
		}
		require.Less(t, p.end-p.begin, int64(quietPartSize+200))
	}
	for _, id := range []int64{0, logs / 2, logs - 1} {
		require.Len(t, x.with(id), 1)
	}
	require.Empty(t, x.with(logs))

	x.parts[0].lowest = logs // wrong on purpose: reading the part again would correct it
	add(logs, 2*logs)
	_, ok = q.find(2*logs-1, day(0))
	require.True(t, ok)
	require.Greater(t, x.end(), end)
	require.EqualValues(t, logs, x.parts[0].lowest)
}

func TestIndexesOfFewDaysAreKept(t *testing.T) {
	q := &quietLogs{dir: t.TempDir(), logger: quietLogger()}
	for i := range int64(10) {
		logTime := i * 86_400_000
		q.add(i, logTime, []byte("text"))
		_, ok := q.find(i, "2001-02-03")
		require.False(t, ok)
		q.flush()
		_, ok = q.find(i, day(logTime))
		require.True(t, ok)
		require.LessOrEqual(t, len(q.indexes), quietIndexes)
	}
	_, ok := q.find(0, day(0))
	require.True(t, ok)
}

// BenchmarkQuietLogIsFound reads one of the logs of half an hour at 500 runs a second.
func BenchmarkQuietLogIsFound(b *testing.B) {
	q := &quietLogs{dir: b.TempDir(), logger: quietLogger()}
	const logs = 900_000
	for id := range int64(logs) {
		q.add(id, 0, []byte("2026-11-22 01:02:03.456 [executor] run 1234567 of job 4711 starts: handler noop\n2026-11-22 01:02:03.457 [executor] run ends: code 200\n"))
	}
	q.flush()
	for b.Loop() {
		if _, ok := q.find(logs-5000, day(0)); !ok {
			b.Fatal("not found")
		}
	}
}
