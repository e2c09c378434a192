package executor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// readState reads the journal of a data directory as a restart would. An executor may be running
// there.
func readState(t testing.TB, dir string) *journalState {
	t.Helper()
	j := &journal{path: filepath.Join(dir, "journal"), logger: quietLogger(), state: newJournalState(time.Now())}
	data, err := os.ReadFile(j.path)
	require.NoError(t, err)
	require.NoError(t, j.replay(data))
	return j.state
}

func testJournal(t *testing.T, dir string) *journal {
	t.Helper()
	o, err := Options{DataDir: dir, NoSync: true, Logger: quietLogger()}.withDefaults()
	require.NoError(t, err)
	j, err := openJournal(dir, o)
	require.NoError(t, err)
	return j
}

func TestLogIDIsRefusedAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		e := start(t, Options{DataDir: dir}, withEcho(t))
		run := beanRun(7, 1, "echo")
		require.Equal(t, wire.OK(), e.post("/run", run))
		synctest.Wait()
		require.Equal(t, "repeat trigger job, logId:1", e.post("/run", run).Msg)
		e.stop()
		for range 3 {
			e = start(t, Options{DataDir: dir}, withEcho(t))
			require.Equal(t, "repeat trigger job, logId:1", e.post("/run", run).Msg)
			e.stop()
		}
		require.Empty(t, e.admin.results())
	})
}

// TestUnfinishedRunsFailAfterARestart checks that the next process reports the runs that the
// previous one did not finish, in the order in which they were accepted, and does not start them
// again.
func TestUnfinishedRunsFailAfterARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		j := testJournal(t, dir)
		for _, id := range []int64{5, 3, 9} {
			b, err := j.accept(id, 7, 1000+id, time.Now())
			require.NoError(t, err)
			require.NoError(t, b.wait())
		}
		j.finish(result{logID: 3, jobID: 7, logTime: 1003, code: 200})
		require.NoError(t, j.close())

		e := start(t, Options{DataDir: dir}, withEcho(t))
		synctest.Wait()
		require.Equal(t, []wire.Callback{
			{LogID: 3, LogTime: 1003, HandleCode: 200},
			{LogID: 5, LogTime: 1005, HandleCode: 500, HandleMsg: msgRestarted},
			{LogID: 9, LogTime: 1009, HandleCode: 500, HandleMsg: msgRestarted},
		}, e.admin.results())
		require.Equal(t, "repeat trigger job, logId:9", e.post("/run", wire.RunRequest{JobID: 7, LogID: 9, LogTime: 1009, Handler: "echo", GlueType: "BEAN"}).Msg)
	})
}

// TestJournalCutAnywhere checks that a journal that was cut anywhere still opens, with a prefix of
// what was written, and continues from there.
func TestJournalCutAnywhere(t *testing.T) {
	dir := t.TempDir()
	j := testJournal(t, dir)
	base, err := os.ReadFile(j.path)
	require.NoError(t, err)
	var ends []int // of each record
	file := func() []byte {
		data, err := os.ReadFile(j.path)
		require.NoError(t, err)
		return data
	}
	ends = append(ends, len(base))
	for id := int64(1); id <= 4; id++ {
		b, err := j.accept(id, 7, id, time.Now())
		require.NoError(t, err)
		require.NoError(t, b.wait())
		ends = append(ends, len(file()))
	}
	require.NoError(t, j.close())
	whole := file()

	for cut := len(base); cut <= len(whole); cut++ {
		for _, tail := range [][]byte{nil, {0}, bytes.Repeat([]byte{0xff}, 40), bytes.Repeat([]byte{0}, 40)} {
			require.NoError(t, os.WriteFile(j.path, slices.Concat(whole[:cut], tail), 0o600))
			want := 0
			for _, end := range ends[1:] {
				if cut >= end {
					want++
				}
			}
			again := testJournal(t, dir)
			require.Len(t, again.state.open, want, "cut at %d", cut)
			_, err := again.accept(99, 7, 99, time.Now())
			require.NoError(t, err)
			require.NoError(t, again.close())
			require.Len(t, readState(t, dir).open, want+1, "cut at %d", cut)
		}
	}
}

func TestJournalOfAnotherKindIsRefused(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal")
	require.NoError(t, os.WriteFile(path, []byte("something else"), 0o600))
	o, err := Options{DataDir: dir}.withDefaults()
	require.NoError(t, err)
	_, err = openJournal(dir, o)
	require.ErrorContains(t, err, "is not a journal of this version")
	data, _ := os.ReadFile(path)
	require.Equal(t, "something else", string(data), "it was overwritten")
}

// TestJournalThatCannotBeWritten checks that no run is accepted while writes fail, that the same
// log ids are accepted once they succeed again, and that no result was lost.
func TestJournalThatCannotBeWritten(t *testing.T) {
	dir := t.TempDir()
	j := testJournal(t, dir)
	b, err := j.accept(1, 7, 1, time.Now())
	require.NoError(t, err)
	require.NoError(t, b.wait())

	require.NoError(t, j.file.Close()) // every write fails from here on
	b, err = j.accept(2, 7, 2, time.Now())
	require.NoError(t, err)
	require.ErrorIs(t, b.wait(), os.ErrClosed)
	require.False(t, j.seen(2, 2), "a refused log id is remembered")

	// The next batch replaces the failed file by a new one.
	j.finish(result{logID: 1, jobID: 7, logTime: 1, code: 200})
	b, err = j.accept(2, 7, 2, time.Now())
	require.NoError(t, err)
	require.NoError(t, b.wait())
	require.NoError(t, j.close())
	state := readState(t, dir)
	require.Len(t, state.open, 1)
	require.Contains(t, state.open, int64(2))
	require.Len(t, state.results, 1)
}

// TestAResultIsWrittenOnceItCanBe lets the journal fail for a result. It is written as soon as that
// works again, although nothing else happens: the process may be killed before it stops.
func TestAResultIsWrittenOnceItCanBe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		j := testJournal(t, dir)
		b, err := j.accept(1, 7, 1, time.Now())
		require.NoError(t, err)
		require.NoError(t, b.wait())
		var full atomic.Bool
		full.Store(true)
		j.rename = func(from, to string) error {
			if full.Load() {
				return syscall.ENOSPC
			}
			return os.Rename(from, to)
		}
		require.NoError(t, j.file.Close())
		j.finish(result{logID: 1, jobID: 7, logTime: 1, code: 200})
		time.Sleep(3 * journalRetry)
		synctest.Wait()
		require.Empty(t, readState(t, dir).results)
		full.Store(false)
		time.Sleep(journalRetry)
		synctest.Wait()
		require.Len(t, readState(t, dir).results, 1)
		require.Empty(t, readState(t, dir).open)
		require.NoError(t, j.close())
	})
}

// TestAJournalThatLosesResultsSaysSo closes a journal that cannot be written, as on a full disk.
func TestAJournalThatLosesResultsSaysSo(t *testing.T) {
	j := testJournal(t, t.TempDir())
	file, err := os.Open(j.path) // for reading: each write fails, and Close does not
	require.NoError(t, err)
	require.NoError(t, j.file.Close())
	j.file = file
	require.NoError(t, os.Mkdir(j.path+".new", 0o700)) // in the place of the file that replaces it
	j.finish(result{logID: 1, jobID: 7, logTime: 1, code: 200})
	require.ErrorContains(t, j.close(), "write journal: ")
}

// TestARunThatWasPutBackOutlivesAFailedWrite has a run that was put back, and accepts it again
// while the journal fails: the run stays put back.
func TestARunThatWasPutBackOutlivesAFailedWrite(t *testing.T) {
	dir := t.TempDir()
	j := testJournal(t, dir)
	b, err := j.accept(1, 7, 1, time.Now())
	require.NoError(t, err)
	require.NoError(t, b.wait())
	j.putBack(1)
	j.barrier()
	require.NoError(t, j.file.Close()) // every write fails from here on
	b, err = j.accept(1, 7, 1, time.Now())
	require.NoError(t, err)
	require.ErrorIs(t, b.wait(), os.ErrClosed)
	known := j.knows([]wire.RunID{{LogID: 1, JobID: 7, LogTime: 1}})
	require.Equal(t, []bool{true}, known, "the store may have given it")
	require.NoError(t, j.close())
	state := readState(t, dir)
	require.Empty(t, state.open)
	require.True(t, state.isBack(1))

	for range 2 {
		require.Contains(t, state.back, int64(1))
		again := &journal{logger: quietLogger(), state: newJournalState(time.Now())}
		require.NoError(t, again.replay(state.snapshot()))
		require.Equal(t, state.back, again.state.back)
		state.rotate(time.Now())
	}
	require.Empty(t, state.back, "forgotten like seen ids")
}

func TestRunIsRefusedWhenItCannotBeNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{}, withEcho(t))
		synctest.Wait()
		j := e.live.Load().journal
		require.NoError(t, j.file.Close())
		run := beanRun(7, 1, "echo")
		require.Contains(t, e.post("/run", run).Msg, "request error: write journal: ")
		synctest.Wait()
		require.Equal(t, "none", e.outcome(1), "a refused run was started or reported")
		require.Equal(t, wire.OK(), e.post("/run", run))
		synctest.Wait()
		require.Equal(t, "200", e.outcome(1))
		require.Len(t, e.admin.results(), 1)
	})
}

// TestACoveringRunThatCannotBeNotedEndsNothing lets the journal fail for a run that would end those
// before it: they continue, and the refused run takes no place in the queue.
func TestACoveringRunThatCannotBeNotedEndsNothing(t *testing.T) {
	bubble(t, Options{MaxQueued: 2}, func(t *testing.T, e *running, s *stage) {
		require.Equal(t, wire.OK(), e.trigger(7, 1, "SERIAL_EXECUTION"))
		require.Equal(t, wire.OK(), e.trigger(7, 2, "SERIAL_EXECUTION"))
		synctest.Wait()
		require.NoError(t, e.live.Load().journal.file.Close())
		require.Contains(t, e.trigger(7, 3, "COVER_EARLY").Msg, "request error: write journal: ")
		synctest.Wait()
		require.Equal(t, "none", e.outcome(1))
		require.Equal(t, "none", e.outcome(2))
		require.Equal(t, wire.OK(), e.trigger(7, 4, "SERIAL_EXECUTION"), "there is room for one more")
		for range 3 {
			s.end(nil)
		}
		require.Equal(t, []int64{1, 2, 4}, s.ids())
	})
}

// TestARunOfAnotherHandlerThatCannotBeNotedEndsNothing does the same with a run that would end
// those before it because its job got another handler.
func TestARunOfAnotherHandlerThatCannotBeNotedEndsNothing(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		require.Equal(t, wire.OK(), e.trigger(7, 1, "SERIAL_EXECUTION"))
		require.Equal(t, wire.OK(), e.trigger(7, 2, "SERIAL_EXECUTION"))
		require.NoError(t, e.live.Load().journal.file.Close())
		require.Contains(t, e.post("/run", beanRun(7, 3, "other")).Msg, "request error: write journal: ")
		time.Sleep(time.Second) // results are gathered by now
		synctest.Wait()
		require.Equal(t, "none", e.outcome(1))
		require.Equal(t, "none", e.outcome(2))
		s.end(nil)
		s.end(nil)
		require.Equal(t, []int64{1, 2}, s.ids())
	})
}

// TestARunOfAnotherHandlerIsNotedLate lets the runs before a run of another handler end by
// themselves while it is being written to the journal: the handlers change all the same, once.
func TestARunOfAnotherHandlerIsNotedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		say := func(what string) { calls = append(calls, what) }
		release := make(chan error)
		e := start(t, Options{StopGrace: -1}, func(e *Executor) {
			for _, name := range []string{"a", "b"} {
				require.NoError(t, e.Handle(name, func(context.Context, *Run) error {
					say("run " + name)
					return <-release
				}, WithInit(func(context.Context) error {
					say("init " + name)
					return nil
				}), WithDestroy(func() { say("destroy " + name) })))
			}
		})
		require.Equal(t, wire.OK(), e.post("/run", beanRun(7, 1, "a")))
		synctest.Wait()
		j := e.live.Load().journal
		require.NoError(t, j.file.Close())
		require.NotEqual(t, wire.OK(), e.post("/run", beanRun(7, 2, "b")))
		synctest.Wait()

		written := make(chan struct{})
		j.rename = func(from, to string) error {
			<-written
			return os.Rename(from, to)
		}
		replies := make(chan wire.Reply, 2)
		for id := int64(3); id <= 4; id++ {
			go func() {
				reply, _ := e.tryPost("/run", beanRun(7, id, "b"))
				replies <- reply
			}()
			synctest.Wait()
		}
		release <- nil
		synctest.Wait()
		require.Equal(t, []string{"init a", "run a", "destroy a"}, calls)
		close(written)
		require.Equal(t, wire.OK(), <-replies)
		require.Equal(t, wire.OK(), <-replies)
		for range 2 {
			synctest.Wait()
			release <- nil
		}
		time.Sleep(time.Second) // results are gathered by now
		e.stop()
		require.Equal(t, []string{"init a", "run a", "destroy a", "init b", "run b", "run b", "destroy b"}, calls)
		for _, id := range []int64{1, 3, 4} {
			require.Equal(t, "200", e.outcome(id))
		}
	})
}

// TestAWaitingRunThatCannotBeNotedLeavesTheQueue lets the journal fail for runs that would wait for
// others: they take no place in the queue, and have no result, whatever ends those others.
func TestAWaitingRunThatCannotBeNotedLeavesTheQueue(t *testing.T) {
	bubble(t, Options{MaxQueued: 2}, func(t *testing.T, e *running, s *stage) {
		require.Equal(t, wire.OK(), e.trigger(7, 1, "SERIAL_EXECUTION"))
		for id := int64(2); id <= 4; id++ {
			require.NoError(t, e.live.Load().journal.file.Close())
			require.Contains(t, e.trigger(7, id, "SERIAL_EXECUTION").Msg, "request error: write journal: ")
			e.live.Load().journal.barrier() // which replaces the file
			synctest.Wait()
		}
		require.Equal(t, wire.OK(), e.trigger(7, 2, "SERIAL_EXECUTION"), "sent again")
		require.Equal(t, wire.OK(), e.trigger(7, 5, "SERIAL_EXECUTION"), "there is room for one more")
		require.Equal(t, wire.OK(), e.post("/kill", wire.KillRequest{JobID: 7}))
		time.Sleep(time.Second) // results are gathered by now
		synctest.Wait()
		require.Len(t, e.admin.results(), 3, "one for each accepted run")
		require.Equal(t, "none", e.outcome(3))
		require.Equal(t, "none", e.outcome(4))
	})
}

// TestARunThatIsKilledBeforeItIsNotedHasNoResult kills a job while a run of it is being written to
// the journal, which then fails. Results of other runs are sent meanwhile.
func TestARunThatIsKilledBeforeItIsNotedHasNoResult(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		require.Equal(t, wire.OK(), e.trigger(7, 1, "SERIAL_EXECUTION"))
		require.Equal(t, wire.OK(), e.trigger(8, 2, "SERIAL_EXECUTION"))
		j := e.live.Load().journal
		require.NoError(t, j.file.Close())
		require.Contains(t, e.trigger(7, 3, "SERIAL_EXECUTION").Msg, "request error: write journal: ")

		full := make(chan error)
		j.rename = func(from, to string) error {
			if err := <-full; err != nil {
				return err
			}
			return os.Rename(from, to)
		}
		refused := make(chan wire.Reply)
		go func() {
			req := beanRun(7, 4, "stage")
			reply, _ := e.tryPost("/run", req)
			refused <- reply
		}()
		synctest.Wait() // it is being written
		e.post("/kill", wire.KillRequest{JobID: 7})
		e.post("/kill", wire.KillRequest{JobID: 8})
		synctest.Wait()
		full <- syscall.ENOSPC
		require.Contains(t, (<-refused).Msg, "request error: write journal: ")
		full <- nil
		time.Sleep(time.Second) // results are gathered by now
		synctest.Wait()
		require.Equal(t, "none", e.outcome(4))
		require.Contains(t, e.outcome(1), "killed")
		require.Contains(t, e.outcome(2), "killed")
		require.Len(t, e.admin.results(), 2)
		require.Zero(t, j.waiting())
		require.Empty(t, readState(t, e.opts.DataDir).results)
	})
}

// TestARefusedRunIsNotTheFirst lets the journal fail for the first run of a job: the handler is
// initialised before the first run that starts.
func TestARefusedRunIsNotTheFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("h", func(context.Context, *Run) error {
				calls = append(calls, "run")
				return nil
			}, WithInit(func(context.Context) error {
				calls = append(calls, "init")
				return nil
			}), WithDestroy(func() { calls = append(calls, "destroy") })))
		})
		fails := func(id int64) {
			synctest.Wait()
			require.NoError(t, e.live.Load().journal.file.Close())
			require.Contains(t, e.post("/run", beanRun(7, id, "h")).Msg, "request error: write journal: ")
		}
		fails(1)
		require.Equal(t, wire.OK(), e.post("/run", beanRun(7, 2, "h")))
		synctest.Wait()
		require.Equal(t, []string{"init", "run"}, calls)
		e.post("/kill", wire.KillRequest{JobID: 7})
		fails(3)
		e.stop()
		require.Equal(t, []string{"init", "run", "destroy"}, calls, "destroyed without being initialised")
	})
}

// TestRepeatMeansAccepted lets many senders send one log id while the journal fails, which at least
// one of them sees. A sender that is told that the id was accepted before may rely on that.
func TestRepeatMeansAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{}, withEcho(t))
		for id := int64(1); id <= 50; id++ {
			synctest.Wait()
			require.NoError(t, e.live.Load().journal.file.Close())
			run := beanRun(7, id, "echo")
			replies := make(chan string, 8)
			for range cap(replies) {
				go func() {
					reply, err := e.tryPost("/run", run)
					if err != nil {
						reply.Msg = err.Error()
					}
					replies <- reply.Msg
				}()
			}
			said := map[bool]int{}
			for range cap(replies) {
				msg := <-replies
				said[msg == "Success" || msg == fmt.Sprintf("repeat trigger job, logId:%d", id)]++
			}
			time.Sleep(time.Second) // results are gathered by now
			synctest.Wait()
			require.Positive(t, said[false], "the journal did not fail")
			require.Equal(t, said[true] > 0, e.outcome(id) == "200", "%d heard of success", said[true])
		}
	})
}

// TestJournalModel compares the journal with a model: any sequence of changes, restarts and
// rewrites leads to the state that the changes alone lead to.
func TestJournalModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("", "journal")
		require.NoError(t, err)
		defer os.RemoveAll(dir)
		o, err := Options{DataDir: dir, NoSync: true, Logger: quietLogger()}.withDefaults()
		require.NoError(t, err)
		j, err := openJournal(dir, o)
		require.NoError(t, err)
		open := map[int64]int64{} // log id -> job id
		accepted := map[int64]bool{}
		var results []result
		check := func() {
			gotOpen := map[int64]int64{}
			for id, run := range j.state.open {
				gotOpen[id] = run.jobID
			}
			require.Equal(t, open, gotOpen)
			require.Equal(t, len(results), len(j.state.results))
			for i, r := range j.state.results {
				r.batch = nil
				require.Equal(t, results[i], r)
			}
			for id := int64(-5); id < 1030; id++ {
				require.Equal(t, accepted[id], j.seen(id, 1), "log id %d", id)
			}
		}
		t.Repeat(map[string]func(*rapid.T){
			"accept": func(t *rapid.T) {
				id := rapid.OneOf(rapid.Int64Range(-5, 20), rapid.Int64Range(500, 1029)).Draw(t, "log id")
				b, err := j.accept(id, id%3, 1, time.Now())
				if accepted[id] {
					require.ErrorIs(t, err, errSeen)
					return
				}
				require.NoError(t, err)
				require.NoError(t, b.wait())
				accepted[id], open[id] = true, id%3
			},
			"finish": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip()
				}
				ids := slices.Sorted(maps.Keys(open))
				id := ids[rapid.IntRange(0, len(ids)-1).Draw(t, "which")]
				r := result{logID: id, jobID: open[id], logTime: 1, code: 500, msg: rapid.StringN(0, 50, -1).Draw(t, "msg")}
				j.finish(r)
				results = append(results, r)
				delete(open, id)
			},
			"put back": func(t *rapid.T) {
				if len(open) == 0 {
					t.Skip()
				}
				ids := slices.Sorted(maps.Keys(open))
				id := ids[rapid.IntRange(0, len(ids)-1).Draw(t, "which")]
				j.putBack(id)
				delete(open, id)
				delete(accepted, id)
			},
			"taken": func(t *rapid.T) {
				n := rapid.IntRange(0, len(results)).Draw(t, "n")
				require.Len(t, j.oldest(n, nil), n)
				j.taken(n)
				results = results[n:]
			},
			"postpone": func(t *rapid.T) {
				job := rapid.Int64Range(-2, 2).Draw(t, "job")
				j.postpone(job)
				var others, own []result
				for _, r := range results {
					if r.jobID == job {
						own = append(own, r)
					} else {
						others = append(others, r)
					}
				}
				results = append(others, own...)
			},
			"rotate": func(t *rapid.T) {
				j.mu.Lock()
				if len(j.state.seen.previous) > 0 { // would be forgotten
					j.mu.Unlock()
					t.Skip()
				}
				now := time.Now()
				j.state.rotate(now)
				j.buf = appendRecord(j.buf, kindRotated, []int64{now.UnixMilli()}, nil)
				j.mu.Unlock()
			},
			"restart": func(t *rapid.T) {
				require.NoError(t, j.close())
				j, err = openJournal(dir, o)
				require.NoError(t, err)
				check()
			},
		})
		require.NoError(t, j.close())
		j, err = openJournal(dir, o)
		require.NoError(t, err)
		check()
		require.NoError(t, j.close())
	})
}

// TestJournalIsRewritten checks that the journal does not grow with the number of runs.
func TestJournalIsRewritten(t *testing.T) {
	j := testJournal(t, t.TempDir())
	msg := string(bytes.Repeat([]byte("m"), 40_000))
	for id := range int64(600) { // 24 MB
		b, err := j.accept(id, 7, 1, time.Now())
		require.NoError(t, err)
		j.finish(result{logID: id, jobID: 7, logTime: 1, code: 500, msg: msg})
		j.taken(1)
		require.NoError(t, b.wait())
	}
	require.NoError(t, j.close())
	require.Less(t, j.size, int64(journalRewrite+1<<20))
	require.True(t, j.state.seen.has(0, 1))
}

func FuzzJournal(f *testing.F) {
	s := newJournalState(time.UnixMilli(1))
	s.accept(1, 7, 5)
	s.accept(2, 7, 6)
	s.finish(result{logID: 1, jobID: 7, logTime: 5, code: 500, msg: "boom"})
	s.accept(3, 7, 6)
	s.putBack(3)
	s.accept(4, 7, 6)
	s.putBack(4)
	s.rotate(time.UnixMilli(2))
	s.accept(4, 7, 6)
	f.Add(s.snapshot())
	f.Add([]byte(journalHeader))
	f.Fuzz(func(t *testing.T, data []byte) {
		j := &journal{logger: quietLogger(), state: newJournalState(time.UnixMilli(1))}
		if err := j.replay(data); err != nil {
			return
		}
		again := &journal{logger: quietLogger(), state: newJournalState(time.UnixMilli(1))}
		require.NoError(t, again.replay(j.state.snapshot()))
		require.Equal(t, j.state.openIDs(), again.state.openIDs())
		require.Equal(t, j.state.back, again.state.back)
		require.Equal(t, j.state.results, again.state.results)
		require.Equal(t, j.state.seen.current, again.state.seen.current)
		require.Equal(t, j.state.seen.previous, again.state.seen.previous)
	})
}

func TestSeenIDs(t *testing.T) {
	now := time.UnixMilli(0)
	s := newSeenIDs(now)
	require.False(t, s.has(1, 5))
	s.add(1, 5)
	require.True(t, s.has(1, 5))
	for _, id := range []int64{0, 2, 512, 513, -1, -511, 1 << 62} {
		require.False(t, s.has(id, 5), id)
		s.add(id, 5)
		require.True(t, s.has(id, 5), id)
	}

	// A log id that comes again is refused however late, if its trigger time is about the same.
	require.True(t, s.has(1, 5+seenRestart))
	require.True(t, s.has(1, 0))

	// Log ids that start over are new ones.
	require.False(t, s.has(1, 6+seenRestart))
	s.add(1, 6+seenRestart)
	require.True(t, s.has(1, 6+seenRestart))
	require.False(t, s.has(2, 6+seenRestart))

	// Remembered for one more generation, then forgotten.
	s.rotate(now)
	require.True(t, s.has(512, 5))
	s.rotate(now)
	require.False(t, s.has(512, 5))

	require.False(t, s.full(now.Add(time.Hour), time.Hour))
	require.True(t, s.full(now.Add(time.Hour+1), time.Hour))
	for i := range int64(maxSeenBlocks) {
		s.add(i*seenBlockIDs, 1)
	}
	require.False(t, s.full(now, time.Hour))
	s.add(maxSeenBlocks*seenBlockIDs, 1)
	require.True(t, s.full(now, time.Hour))
}

func TestDataDirBelongsToOne(t *testing.T) {
	dir := t.TempDir()
	e := start(t, Options{DataDir: dir}, nil)
	other, err := New(e.opts)
	require.NoError(t, err)
	err = other.Run(t.Context())
	require.ErrorContains(t, err, fmt.Sprintf("executor: Options.DataDir %q is used by another executor", dir))
	require.False(t, errors.Is(err, os.ErrNotExist))
}
