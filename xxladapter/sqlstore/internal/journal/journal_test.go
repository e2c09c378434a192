package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// options returns the options of a journal in a folder of its own.
func options(t *testing.T) Options {
	return Options{Prefix: filepath.Join(t.TempDir(), "x-ahead."), Generation: 7, Logger: slog.New(slog.DiscardHandler)}
}

// open opens the journal and returns its records. The caller has to close it before the test ends.
func open(t *testing.T, opts Options, next int64) (j *Journal, records []string) {
	t.Helper()
	want := next
	j, err := Open(opts, next, func(number int64, record []byte) error {
		if len(records) > 0 || next == 0 {
			require.True(t, want == 0 || number == want, "record %d follows %d", number, want-1)
		}
		want = number + 1
		records = append(records, string(record))
		return nil
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		require.True(t, j.closed || t.Failed(), "the journal is still open")
	})
	return j, records
}

// rotate returns when what was appended is on disk and a new segment has begun, or with the error
// why it could not.
func rotate(t *testing.T, j *Journal) error {
	t.Helper()
	require.NoError(t, j.Wait(j.Last()))
	j.mu.Lock()
	j.delayed, j.again = nil, time.Time{}
	j.mu.Unlock()
	j.Rotate()
	for {
		j.mu.Lock()
		rotating, err := j.rotating, j.delayed
		j.mu.Unlock()
		if !rotating || err != nil {
			return err
		}
		runtime.Gosched()
	}
}

func TestRecordsAreReadInTheirOrder(t *testing.T) {
	opts := options(t)
	_, err := Open(opts, 0, nil)
	require.ErrorIs(t, err, os.ErrNotExist)
	j, records := open(t, opts, 5)
	require.Empty(t, records)
	require.Equal(t, int64(5), j.Append([]byte("a")).Number)
	require.Equal(t, int64(6), j.Append([]byte("b")).Number)
	require.NoError(t, rotate(t, j))
	m := j.Append([]byte("c"))
	require.NoError(t, j.Wait(m))
	require.NoError(t, j.Close())
	require.ErrorIs(t, j.Wait(Position{Number: 100}), ErrClosed)

	j, records = open(t, opts, 0)
	require.Equal(t, []string{"a", "b", "c"}, records)
	require.NoError(t, j.Trim(5))
	require.NoError(t, j.Close())
	j, records = open(t, opts, 0)
	require.Equal(t, []string{"a", "b", "c"}, records, "a file stays while one of its records is needed")
	require.NoError(t, j.Trim(6))
	require.NoError(t, j.Close())
	j, records = open(t, opts, 0)
	require.Equal(t, []string{"c"}, records)
	require.Equal(t, int64(8), j.Append([]byte("d")).Number)
	require.NoError(t, j.Close())
}

// A journal that is truncated at any byte, or has a wrong byte, keeps the records before that byte.
func TestAnyTornEnd(t *testing.T) {
	opts := options(t)
	j, _ := open(t, opts, 1)
	ends := []int64{j.Size()}
	var want []string
	for i := range 5 {
		want = append(want, fmt.Sprint("record ", i))
		require.NoError(t, j.Wait(j.Append([]byte(want[i]))))
		ends = append(ends, j.Size())
	}
	require.NoError(t, j.Close())
	whole, err := os.ReadFile(opts.Prefix + "1")
	require.NoError(t, err)
	require.Equal(t, ends[5], int64(len(whole)))

	kept := func(size int) (n int) { // whole records among the first bytes
		for n < 5 && ends[n+1] <= int64(size) {
			n++
		}
		return n
	}
	for size := range len(whole) + 1 {
		opts := options(t)
		require.NoError(t, os.WriteFile(opts.Prefix+"1", whole[:size], 0o600))
		j, records := open(t, opts, 1)
		require.Equal(t, want[:kept(size)], append([]string{}, records...), "%d bytes", size)
		require.NoError(t, j.Wait(j.Append([]byte("next"))))
		require.NoError(t, j.Close())
		j, records = open(t, opts, 0)
		require.Equal(t, append(append([]string{}, want[:kept(size)]...), "next"), records, "%d bytes", size)
		require.NoError(t, j.Close())
	}
	for at := ends[0]; at < int64(len(whole)); at++ {
		opts := options(t)
		wrong := append([]byte{}, whole...)
		wrong[at] ^= 0x10
		require.NoError(t, os.WriteFile(opts.Prefix+"1", wrong, 0o600))
		j, records := open(t, opts, 1)
		require.Equal(t, want[:kept(int(at))], append([]string{}, records...), "byte %d", at)
		require.NoError(t, j.Close())
	}
}

func TestDamageIsNotTakenForATornEnd(t *testing.T) {
	build := func() Options {
		opts := options(t)
		j, _ := open(t, opts, 1)
		for range 3 {
			j.Append([]byte("record"))
			require.NoError(t, rotate(t, j))
		}
		require.NoError(t, j.Close())
		return opts
	}
	for message, damage := range map[string]func(prefix string) error{
		"2 is damaged at":      func(prefix string) error { return os.Truncate(prefix+"2", 50) },
		"2 is missing":         func(prefix string) error { return os.Remove(prefix + "2") },
		"begins with record 3": func(prefix string) error { return os.Truncate(prefix+"2", int64(headerSize)) },
	} {
		opts := build()
		require.NoError(t, Verify(opts, 0, 3))
		require.NoError(t, damage(opts.Prefix))
		_, err := Open(opts, 0, func(int64, []byte) error { return nil })
		require.ErrorContains(t, err, message)
		require.ErrorContains(t, Verify(opts, 0, 3), message)
	}
	for file, records := range map[string]int{"1": 1, "2": 2} { // each is the last file of its journal
		opts := options(t)
		j, _ := open(t, opts, 1)
		for i := range records {
			if i > 0 {
				require.NoError(t, rotate(t, j))
			}
			require.NoError(t, j.Wait(j.Append([]byte("record"))))
		}
		require.NoError(t, j.Close())
		data, err := os.ReadFile(opts.Prefix + file)
		require.NoError(t, err)
		data[len(magic)] ^= 1
		require.NoError(t, os.WriteFile(opts.Prefix+file, data, 0o600))
		_, err = Open(opts, 1, func(int64, []byte) error { return nil })
		require.ErrorContains(t, err, file+" has a damaged header")
		kept, err := os.ReadFile(opts.Prefix + file)
		require.NoError(t, err)
		require.Equal(t, data, kept)
	}
	opts := build()
	require.ErrorContains(t, Verify(opts, 0, 4), "ends with record 3, must end with 4 or later")
	require.NoError(t, os.Remove(opts.Prefix+"1"))
	require.NoError(t, Verify(opts, 1, 3))
	require.ErrorContains(t, Verify(opts, 0, 3), "begins with record 2, must begin with 1 or before")
	opts.Generation++
	require.ErrorContains(t, Verify(opts, 1, 3), "belongs to another store")
	require.ErrorContains(t, Remove(opts.Prefix, opts.Generation), "belongs to another store")
	require.True(t, Exists(opts.Prefix))
	require.NoError(t, Remove(opts.Prefix, opts.Generation-1))
	require.False(t, Exists(opts.Prefix))
	require.ErrorContains(t, Verify(opts, 0, 3), "there is no")
}

// counted counts syncs, and fails writes and syncs when it is told to.
type counted struct {
	File
	syncs               *atomic.Int64
	failWrite, failSync *atomic.Bool
}

var errDisk = errors.New("input/output error")

func (c counted) Write(p []byte) (int, error) {
	if c.failWrite.Load() {
		n, _ := c.File.Write(p[:len(p)/2])
		return n, errDisk
	}
	return c.File.Write(p)
}

func (c counted) Sync() error {
	c.syncs.Add(1)
	if c.failSync.Load() {
		return errDisk
	}
	return c.File.Sync()
}

// watched returns options whose files count and fail.
func watched(t *testing.T) (opts Options, c counted) {
	c = counted{syncs: new(atomic.Int64), failWrite: new(atomic.Bool), failSync: new(atomic.Bool)}
	opts = options(t)
	opts.Create = func(name string, flag int) (File, error) {
		f, err := Create(name, flag)
		mine := c
		mine.File = f
		return mine, err
	}
	return opts, c
}

func TestWaitingCallersShareASync(t *testing.T) {
	opts, c := watched(t)
	j, _ := open(t, opts, 1)
	before := c.syncs.Load()
	const callers, each = 64, 20
	var writers sync.WaitGroup
	for range callers {
		writers.Go(func() {
			for range each {
				if err := j.Wait(j.Append([]byte("x"))); err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	require.Less(t, c.syncs.Load()-before, int64(callers*each/2))
	require.NoError(t, j.Close())
	j, records := open(t, opts, 0)
	require.Len(t, records, callers*each)
	require.NoError(t, j.Close())
}

func TestWhatCannotBeWrittenIsTakenBack(t *testing.T) {
	for _, failing := range []string{"write", "sync"} {
		t.Run(failing, func(t *testing.T) {
			opts, c := watched(t)
			fail := c.failWrite
			if failing == "sync" {
				fail = c.failSync
			}
			j, _ := open(t, opts, 1)
			require.NoError(t, j.Wait(j.Append([]byte("before"))))
			fail.Store(true)
			lost := j.Append([]byte("lost"))
			require.ErrorIs(t, j.Wait(lost), errDisk)
			require.ErrorIs(t, j.Failed(), errDisk)
			var left []string // the records that a crash would find now
			_, _, _, err := read(opts, func(_ int64, record []byte) error {
				left = append(left, string(record))
				return nil
			})
			require.NoError(t, err)
			require.Equal(t, []string{"before"}, left)
			later := j.Append([]byte("later"))
			require.ErrorIs(t, j.Wait(later), errDisk, "it takes no more records")
			fail.Store(false)
			var read []string
			require.NoError(t, j.Repair(func(_ int64, record []byte) error {
				read = append(read, string(record))
				return nil
			}))
			require.Equal(t, []string{"before"}, read)
			require.ErrorIs(t, j.Wait(lost), ErrTakenBack)
			again := j.Append([]byte("again"))
			require.Equal(t, lost.Number, again.Number)
			require.NoError(t, j.Wait(again))
			require.ErrorIs(t, j.Wait(lost), ErrTakenBack, "another record has its number")
			require.ErrorIs(t, j.Wait(later), ErrTakenBack)
			require.NoError(t, j.Close())
			j, records := open(t, opts, 0)
			require.Equal(t, []string{"before", "again"}, records)
			require.NoError(t, j.Close())
		})
	}
}

// A stubborn file fails its syncs if fail is set.
type stubborn struct {
	File
	fail bool
}

func (f stubborn) Sync() error {
	if f.fail {
		return errDisk
	}
	return f.File.Sync()
}

// A new file that cannot be synced is not part of the journal, even if it cannot be removed.
func TestAFileThatCannotBeBegun(t *testing.T) {
	for _, stays := range []bool{false, true} {
		opts := options(t)
		fail := true
		opts.Create = func(name string, flag int) (File, error) {
			f, err := Create(name, flag)
			return stubborn{f, fail && name == opts.Prefix+"2"}, err
		}
		j, _ := open(t, opts, 1)
		require.NoError(t, j.Wait(j.Append([]byte("a"))))
		require.ErrorIs(t, rotate(t, j), errDisk)
		require.NoFileExists(t, opts.Prefix+"2")
		if stays {
			require.NoError(t, os.WriteFile(opts.Prefix+"2", header{opts.Generation, 2}.encode(), 0o600))
		}
		require.NoError(t, j.Wait(j.Append([]byte("b"))))
		crashed := func() {
			require.NoError(t, Verify(opts, 0, 2))
			_, _, next, err := read(opts, func(int64, []byte) error { return nil })
			require.NoError(t, err)
			require.Equal(t, int64(3), next)
		}
		crashed()
		require.NoError(t, j.Repair(func(int64, []byte) error { return nil }))
		whole, err := os.ReadFile(opts.Prefix + "1")
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(opts.Prefix+"1", append(whole, "torn"...), 0o600))
		crashed()
		require.NoError(t, os.WriteFile(opts.Prefix+"1", whole, 0o600))
		fail = false
		require.NoError(t, rotate(t, j))
		require.NoError(t, j.Wait(j.Append([]byte("c"))))
		require.NoError(t, j.Close())
		j, records := open(t, opts, 0)
		require.Equal(t, []string{"a", "b", "c"}, records)
		require.NoError(t, j.Close())
	}
}

// A new file is not part of the journal before its name in the folder is on disk: a crash could
// leave acknowledged records without a file. Here the folder cannot be opened to sync it.
func TestAFileWhoseFolderCannotBeSynced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("folders are not synced")
	}
	opts := options(t)
	opts.Prefix = filepath.Join(t.TempDir(), "here", "journal")
	here := filepath.Dir(opts.Prefix)
	away := here + "-away"
	require.NoError(t, os.Mkdir(here, 0o700))
	moved := false
	opts.Create = func(name string, flag int) (File, error) {
		if moved {
			name = filepath.Join(away, filepath.Base(name))
		}
		return Create(name, flag)
	}
	j, _ := open(t, opts, 1)
	require.NoError(t, j.Wait(j.Append([]byte("a"))))
	require.NoError(t, os.Rename(here, away))
	moved = true
	require.ErrorIs(t, rotate(t, j), fs.ErrNotExist)
	require.NoError(t, os.Rename(away, here))
	moved = false
	require.NoError(t, rotate(t, j))
	require.NoError(t, j.Close())
}

// A file that cannot be removed makes no gap.
func TestTrimStopsAtAFileThatStays(t *testing.T) {
	opts := options(t)
	j, _ := open(t, opts, 1)
	for range 3 {
		j.Append([]byte("record"))
		require.NoError(t, rotate(t, j))
	}
	first, err := os.ReadFile(opts.Prefix + "1")
	require.NoError(t, err)
	// A folder that is not empty cannot be removed, not even by root.
	require.NoError(t, os.Remove(opts.Prefix+"1"))
	require.NoError(t, os.MkdirAll(filepath.Join(opts.Prefix+"1", "x"), 0o700))
	require.Error(t, j.Trim(2))
	require.Error(t, j.Trim(3), "it is tried again")
	require.NoError(t, os.RemoveAll(opts.Prefix+"1"))
	require.NoError(t, os.WriteFile(opts.Prefix+"1", first, 0o600))
	require.NoError(t, Verify(opts, 0, 3))
	require.NoError(t, j.Trim(2))
	require.NoFileExists(t, opts.Prefix+"1")
	require.NoFileExists(t, opts.Prefix+"2")
	require.NoError(t, j.Close())
}

// A record that can neither be written nor taken back is in doubt.
func TestARecordThatStaysIsInDoubt(t *testing.T) {
	opts, c := watched(t)
	j, _ := open(t, opts, 1)
	c.failSync.Store(true) // also the sync of the truncation
	require.ErrorIs(t, j.Wait(j.Append([]byte("a"))), ErrInDoubt)
	require.Error(t, j.Repair(func(int64, []byte) error { return nil }))
	c.failSync.Store(false)
	require.NoError(t, j.Repair(func(int64, []byte) error { return nil }))
	require.NoError(t, j.Wait(j.Append([]byte("b"))))

	c.failWrite.Store(true) // the truncation succeeds
	err := j.Wait(j.Append([]byte("c")))
	require.ErrorIs(t, err, errDisk)
	require.NotErrorIs(t, err, ErrInDoubt)
	c.failWrite.Store(false)
	require.NoError(t, j.Repair(func(int64, []byte) error { return nil }))
	require.NoError(t, j.Close())
}

// A batch that was refused before a repair gives no error to the records after the repair, although
// they get the same numbers.
func TestARepairForgetsTheBatchBefore(t *testing.T) {
	opts, c := watched(t)
	j, _ := open(t, opts, 1)
	c.failWrite.Store(true)
	require.Error(t, j.Wait(j.Append([]byte("a"))))
	c.failWrite.Store(false)
	refused := newBatch()
	refused.last, refused.err = 10, errDisk
	close(refused.done)
	j.mu.Lock()
	j.flying = refused // the writing goroutine has taken it, and was interrupted
	j.mu.Unlock()
	require.NoError(t, j.Repair(func(int64, []byte) error { return nil }))
	require.NoError(t, j.Wait(j.Append([]byte("b"))))
	require.NoError(t, j.Close())
}

// A repair does not continue without records that were on disk.
func TestARepairMissesNoRecord(t *testing.T) {
	opts, c := watched(t)
	j, _ := open(t, opts, 1)
	require.NoError(t, j.Wait(j.Append([]byte("a"))))
	c.failWrite.Store(true)
	require.Error(t, j.Wait(j.Append([]byte("b"))))
	c.failWrite.Store(false)
	require.NoError(t, os.Truncate(opts.Prefix+"1", int64(headerSize)))
	require.ErrorContains(t, j.Repair(func(int64, []byte) error { return nil }), "ends with record 0, must end with 1")
	require.Error(t, j.Close())
}

func TestLocks(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	a, err := Lock(name, false)
	require.NoError(t, err)
	b, err := Lock(name, false)
	require.NoError(t, err)
	_, err = Lock(name, true)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, a.Close())
	_, err = Lock(name, true)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, b.Close())
	require.NoFileExists(t, name)
	c, err := Lock(name, true)
	require.NoError(t, err)
	_, err = Lock(name, false)
	require.ErrorIs(t, err, ErrLocked)
	require.NoError(t, c.Close())
}

func TestASecondLossKeepsTheFilesOfTheFirst(t *testing.T) {
	opts := options(t)
	want := map[string]string{}
	for i, suffix := range []string{".lost", ".lost2", ".lost3"} {
		for place := range i + 1 {
			name, text := nameOf(opts.Prefix, int64(place+1)), fmt.Sprintf("loss %d, file %d", i, place)
			require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
			want[name+suffix] = text
		}
		require.NoError(t, SetAside(opts.Prefix))
		require.False(t, Exists(opts.Prefix))
	}
	for name, text := range want {
		data, err := os.ReadFile(name)
		require.NoError(t, err)
		require.Equal(t, text, string(data), name)
	}
}
