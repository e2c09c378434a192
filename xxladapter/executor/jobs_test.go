package executor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// stage is a handler whose runs a test starts and ends.
type stage struct {
	mu       sync.Mutex
	begun    []int64
	running  int
	most     int // runs at the same time
	release  chan error
	stubborn bool // ignores its context
}

func newStage() *stage { return &stage{release: make(chan error)} }

func (s *stage) run(ctx context.Context, run *Run) error {
	s.mu.Lock()
	s.begun = append(s.begun, run.LogID)
	s.running++
	s.most = max(s.most, s.running)
	stubborn := s.stubborn
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.running--
		s.mu.Unlock()
	}()
	if stubborn {
		return <-s.release
	}
	select {
	case err := <-s.release:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *stage) ids() []int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]int64(nil), s.begun...)
}

// bubble runs a test of an executor with the handlers "stage" and "other" in fake time.
func bubble(t *testing.T, o Options, test func(t *testing.T, e *running, s *stage)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		if o.StopGrace == 0 {
			o.StopGrace = -1 // tests end with runs in progress
		}
		e := start(t, o, func(e *Executor) {
			require.NoError(t, e.Handle("stage", s.run))
			require.NoError(t, e.Handle("other", s.run))
		})
		test(t, e, s)
	})
}

// trigger sends a run and waits until all goroutines are blocked.
func (r *running) trigger(jobID, logID int64, strategy string) wire.Reply {
	r.t.Helper()
	req := beanRun(jobID, logID, "stage")
	req.BlockStrategy = strategy
	reply := r.post("/run", req)
	synctest.Wait()
	return reply
}

// outcome returns the result that the admin has for a log id.
func (r *running) outcome(logID int64) string {
	c := r.admin.result(logID)
	if c == nil {
		return "none"
	}
	return strings.TrimSuffix(fmt.Sprintf("%d %s", c.HandleCode, c.HandleMsg), " ")
}

func (s *stage) end(err error) {
	s.release <- err
	synctest.Wait()
}

// TestSerialExecution checks that runs of a job wait for each other, and those of other jobs do not
// (XXL-JOB 2.4.2, ExecutorBizImpl.java and JobThread.java).
func TestSerialExecution(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		for id := int64(1); id <= 3; id++ {
			require.Equal(t, wire.OK(), e.trigger(7, id, "SERIAL_EXECUTION"))
		}
		require.Equal(t, []int64{1}, s.ids())
		require.Equal(t, wire.OK(), e.trigger(8, 10, "SERIAL_EXECUTION"))
		require.Equal(t, []int64{1, 10}, s.ids(), "jobs do not wait for each other")
		for range 4 {
			s.end(nil)
		}
		require.ElementsMatch(t, []int64{1, 2, 3, 10}, s.ids())
		require.Equal(t, 2, s.most)
		for _, id := range []int64{1, 2, 3, 10} {
			require.Equal(t, "200", e.outcome(id))
		}
	})
}

// TestDiscardLater checks that a run is refused while one of its job runs or waits (XXL-JOB 2.4.2,
// ExecutorBizImpl.java).
func TestDiscardLater(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		require.Equal(t, wire.OK(), e.trigger(7, 1, "DISCARD_LATER"))
		require.Equal(t, wire.MsgDiscardLater, e.trigger(7, 2, "DISCARD_LATER").Msg, "while running")
		require.Equal(t, "repeat trigger job, logId:1", e.trigger(7, 1, "DISCARD_LATER").Msg, "a scheduler that asks again must hear that it runs")
		require.Equal(t, wire.OK(), e.trigger(7, 3, "SERIAL_EXECUTION"))
		s.end(nil)
		require.Equal(t, []int64{1, 3}, s.ids())
		s.end(nil)
		require.Equal(t, wire.OK(), e.trigger(7, 4, "DISCARD_LATER"), "an idle job takes it")
		s.end(nil)
		require.Equal(t, "none", e.outcome(2), "a refused run has no result")
		require.Equal(t, wire.OK(), e.trigger(7, 2, "DISCARD_LATER"), "and was not seen")
	})
}

// TestCoverEarly checks that a run ends the runs of its job before it (XXL-JOB 2.4.2,
// ExecutorBizImpl.java).
func TestCoverEarly(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "")
		e.trigger(7, 2, "")
		require.Equal(t, wire.OK(), e.trigger(7, 3, "COVER_EARLY"))
		require.Equal(t, []int64{1, 3}, s.ids())
		require.Equal(t, "500 block strategy effect：Cover Early [job running, killed]", e.outcome(1))
		require.Equal(t, "500 block strategy effect：Cover Early [job not executed, in the job queue, killed.]", e.outcome(2))
		s.end(nil)
		require.Equal(t, "200", e.outcome(3))
		require.Equal(t, wire.OK(), e.trigger(7, 4, "COVER_EARLY"), "an idle job covers nothing")
		s.end(nil)
		require.Equal(t, "200", e.outcome(4))
		require.Equal(t, 1, s.most)
	})
}

// TestCoverEarlySentAgain checks that a run that is sent again does not cover itself.
func TestCoverEarlySentAgain(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "COVER_EARLY")
		require.Equal(t, "repeat trigger job, logId:1", e.trigger(7, 1, "COVER_EARLY").Msg)
		s.end(nil)
		require.Equal(t, "200", e.outcome(1))
		require.Equal(t, "repeat trigger job, logId:1", e.trigger(7, 1, "COVER_EARLY").Msg, "nor run again later")
		require.Equal(t, []int64{1}, s.ids())
	})
}

// TestChangedHandlerEndsTheOldOne checks that a run with another handler ends the runs before it,
// with upstream's texts (XXL-JOB 2.4.2, ExecutorBizImpl.java and JobThread.java).
func TestChangedHandlerEndsTheOldOne(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		e.trigger(7, 1, "")
		e.trigger(7, 2, "")
		require.Equal(t, wire.OK(), e.post("/run", beanRun(7, 3, "other")))
		synctest.Wait()
		const reason = "500 change jobhandler or glue type, and terminate the old job thread."
		require.Equal(t, reason+" [job running, killed]", e.outcome(1))
		require.Equal(t, reason+" [job not executed, in the job queue, killed.]", e.outcome(2))
		require.Equal(t, []int64{1, 3}, s.ids())
		// An unknown handler changes nothing.
		require.Equal(t, "job handler [nope] not found.", e.post("/run", beanRun(7, 4, "nope")).Msg)
		s.end(nil)
		require.Equal(t, "200", e.outcome(3))
	})
}

// TestKill checks that a kill ends the run in progress and those that wait, with upstream's texts
// (XXL-JOB 2.4.2, ExecutorBizImpl.java and JobThread.java).
func TestKill(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		for id := int64(1); id <= 3; id++ {
			e.trigger(7, id, "")
		}
		e.trigger(8, 10, "")
		require.Equal(t, wire.OK(), e.post("/kill", wire.KillRequest{JobID: 7}))
		synctest.Wait()
		require.Equal(t, "500 scheduling center kill job. [job running, killed]", e.outcome(1))
		require.Equal(t, "500 scheduling center kill job. [job not executed, in the job queue, killed.]", e.outcome(2))
		require.Equal(t, "500 scheduling center kill job. [job not executed, in the job queue, killed.]", e.outcome(3))
		require.Equal(t, "none", e.outcome(10), "another job continues")
		require.Equal(t, wire.OK(), e.post("/idleBeat", wire.IdleBeatRequest{JobID: 7}))
		require.Equal(t, wire.OK(), e.trigger(7, 4, ""))
		s.end(nil)
		s.end(nil)
		require.Equal(t, "200", e.outcome(4))
		require.Equal(t, "200", e.outcome(10))
	})
}

// TestStubbornHandler checks that the next run waits for one that ignores its kill, but no longer
// than AbandonAfter. XXL-JOB starts it beside the other (2.4.2, JobThread.java).
func TestStubbornHandler(t *testing.T) {
	const patience = 20 * time.Second
	bubble(t, Options{AbandonAfter: patience}, func(t *testing.T, e *running, s *stage) {
		s.stubborn = true
		e.trigger(7, 1, "")
		e.post("/kill", wire.KillRequest{JobID: 7})
		require.Equal(t, wire.OK(), e.trigger(7, 2, "DISCARD_LATER"), "no handler is bound any more")
		require.Equal(t, wire.MsgBusy, e.post("/idleBeat", wire.IdleBeatRequest{JobID: 7}).Msg)

		time.Sleep(patience - time.Nanosecond)
		synctest.Wait()
		require.Equal(t, []int64{1}, s.ids(), "the next run began beside the one before")
		require.Equal(t, "none", e.outcome(1))

		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, []int64{1, 2}, s.ids(), "the job is stuck")
		require.Equal(t, "500 scheduling center kill job. [job running, killed]", e.outcome(1))
		s.end(nil)
		s.end(nil)
		require.Equal(t, "200", e.outcome(2))
		require.Len(t, e.admin.results(), 2, "one result for each")

		// A stubborn handler that returns before that is not abandoned.
		e.trigger(7, 3, "")
		e.trigger(7, 4, "COVER_EARLY")
		time.Sleep(patience - time.Nanosecond)
		s.end(errors.New("late"))
		require.Equal(t, "500 block strategy effect：Cover Early [job running, killed]", e.outcome(3))
		require.Equal(t, []int64{1, 2, 3, 4}, s.ids())
		s.end(nil)
		require.Equal(t, "200", e.outcome(4))
		require.Len(t, e.admin.results(), 4)
	})
}

// TestTimeout checks that a run is stopped exactly at its time limit, and the code of its result
// (XXL-JOB 2.4.2, JobThread.java).
func TestTimeout(t *testing.T) {
	bubble(t, Options{AbandonAfter: 10 * time.Second}, func(t *testing.T, e *running, s *stage) {
		req := beanRun(7, 1, "stage")
		req.Timeout = 5
		e.post("/run", req)
		e.trigger(7, 2, "")
		time.Sleep(5*time.Second - time.Nanosecond)
		synctest.Wait()
		require.Equal(t, "none", e.outcome(1))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		c := e.admin.result(1)
		require.NotNil(t, c)
		require.EqualValues(t, 502, c.HandleCode)
		require.Equal(t, "job execute timeout ", c.HandleMsg)
		require.Equal(t, []int64{1, 2}, s.ids())
		s.end(nil)

		// A run that ignores its timeout is reported when it is abandoned.
		s.stubborn = true
		req.LogID = 3
		e.post("/run", req)
		time.Sleep(15*time.Second - time.Nanosecond)
		synctest.Wait()
		require.Equal(t, "none", e.outcome(3))
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		require.Equal(t, "502 job execute timeout", strings.TrimSpace(e.outcome(3)))
		s.end(nil)
		require.Len(t, e.admin.results(), 3)
	})
}

// TestResults checks which result each end of a handler gives (XXL-JOB 2.4.2, JobThread.java and
// XxlJobHelper.java).
func TestResults(t *testing.T) {
	long := strings.Repeat("ä", 50_001)
	for name, c := range map[string]struct {
		do   HandlerFunc
		want string
	}{
		"nil":            {func(context.Context, *Run) error { return nil }, "200"},
		"error":          {func(context.Context, *Run) error { return errors.New("boom") }, "500 boom"},
		"ErrTimeout":     {func(context.Context, *Run) error { return fmt.Errorf("lock: %w", ErrTimeout) }, "502 lock: executor: run timed out"},
		"success text":   {func(_ context.Context, r *Run) error { r.SetResult(200, "3 orders"); return nil }, "200 3 orders"},
		"failure":        {func(_ context.Context, r *Run) error { r.SetResult(500, "none left"); return nil }, "500 none left"},
		"code 0":         {func(_ context.Context, r *Run) error { r.SetResult(0, "x"); return nil }, "500 job handle result lost."},
		"error wins":     {func(_ context.Context, r *Run) error { r.SetResult(200, "x"); return errors.New("boom") }, "500 boom"},
		"long text":      {func(context.Context, *Run) error { return errors.New(long) }, "500 " + long[:100_000] + "..."},
		"panic":          {func(context.Context, *Run) error { panic("oh") }, "500 panic: oh"},
		"panic of error": {func(context.Context, *Run) error { panic(io.ErrUnexpectedEOF) }, "500 panic: unexpected EOF"},
		"Goexit":         {func(context.Context, *Run) error { runtime.Goexit(); return nil }, "500 handler ended its goroutine without returning"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := start(t, Options{}, func(e *Executor) {
					require.NoError(t, e.Handle("do", c.do))
					require.NoError(t, e.Handle("nil", func(context.Context, *Run) error { return nil }))
				})
				e.post("/run", beanRun(1, 1, "do"))
				e.post("/run", beanRun(1, 2, "do"))
				synctest.Wait()
				require.Equal(t, c.want, e.outcome(1))
				require.Equal(t, c.want, e.outcome(2), "the job does not continue")
			})
		})
	}
}

// TestTraceEndsWithTheReportedResult checks that the end of a trace gets what the admin gets.
func TestTraceEndsWithTheReportedResult(t *testing.T) {
	kill := func(e *running) { e.post("/kill", wire.KillRequest{JobID: 1}) }
	for name, c := range map[string]struct {
		do     HandlerFunc
		during func(e *running) // called while the handler waits
		after  func(e *running) // called at the end of the trace
	}{
		"nil":    {do: func(context.Context, *Run) error { return nil }},
		"error":  {do: func(context.Context, *Run) error { return errors.New("boom") }},
		"long":   {do: func(context.Context, *Run) error { return errors.New(strings.Repeat("x", 50_001)) }},
		"code 0": {do: func(_ context.Context, r *Run) error { r.SetResult(0, "x"); return nil }},
		"panic":  {do: func(context.Context, *Run) error { panic("oh") }},
		"Goexit": {do: func(context.Context, *Run) error { runtime.Goexit(); return nil }},
		"killed": {do: func(ctx context.Context, _ *Run) error { <-ctx.Done(); return nil }, during: kill},
		"killed by Goexit": {
			do: func(ctx context.Context, _ *Run) error { <-ctx.Done(); runtime.Goexit(); return nil }, during: kill,
		},
		"killed after its end": {do: func(context.Context, *Run) error { return nil }, after: kill},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var e *running
				var ends []string
				trace := func(ctx context.Context, _ *Run) (context.Context, func(int, string)) {
					return ctx, func(code int, msg string) {
						ends = append(ends, strings.TrimSuffix(fmt.Sprintf("%d %s", code, msg), " "))
						if c.after != nil {
							c.after(e)
						}
					}
				}
				e = start(t, Options{Trace: trace}, func(e *Executor) { require.NoError(t, e.Handle("do", c.do)) })
				e.post("/run", beanRun(1, 1, "do"))
				synctest.Wait()
				if c.during != nil {
					c.during(e)
					synctest.Wait()
				}
				require.Equal(t, []string{e.outcome(1)}, ends)
			})
		})
	}
}

// TestAPanicOfATraceChangesNoResult has a Trace that panics, and one whose end does.
func TestAPanicOfATraceChangesNoResult(t *testing.T) {
	for name, trace := range map[string]func(context.Context, *Run) (context.Context, func(int, string)){
		"Trace": func(context.Context, *Run) (context.Context, func(int, string)) { panic("oh") },
		"end": func(ctx context.Context, _ *Run) (context.Context, func(int, string)) {
			return ctx, func(int, string) { panic("oh") }
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var said strings.Builder
				e := start(t, Options{Trace: trace}, func(e *Executor) {
					e.opts.Logger = slog.New(slog.NewTextHandler(&said, nil))
					require.NoError(t, e.Handle("do", func(_ context.Context, r *Run) error { r.SetResult(200, "done"); return nil }))
				})
				for run := range int64(2) {
					e.post("/run", beanRun(1, 1+run, "do"))
					synctest.Wait()
					require.Equal(t, "200 done", e.outcome(1+run))
				}
				require.Equal(t, 2, strings.Count(said.String(), "panicked"), said.String())
				require.Contains(t, said.String(), "jobs_test.go:", "the stack")
			})
		})
	}
}

func TestPanicLeavesItsStackInTheLog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("p", func(context.Context, *Run) error { panic("oh") }))
		})
		run := beanRun(1, 5, "p")
		e.post("/run", run)
		synctest.Wait()
		text := e.readLog(run, 1).Content
		require.Contains(t, text, "handler panics: oh\n")
		require.Contains(t, text, "jobs_test.go:")
		require.Contains(t, text, "run ends: code 500, panic: oh\n")
	})
}

func TestRunSeesItsRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got *Run
		var deadline time.Time
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("see", func(ctx context.Context, run *Run) error {
				got = run
				deadline, _ = ctx.Deadline()
				return nil
			}))
		})
		due := time.Now().Add(-time.Second).Truncate(time.Millisecond)
		e.post("/run", wire.RunRequest{
			JobID: 7, LogID: 8, Handler: "see", GlueType: "BEAN", Params: "a=1", BroadcastIndex: 2, BroadcastTotal: 5, Timeout: 9,
			LogTime: wire.Int(due.Add(time.Second).UnixMilli()), ScheduledTime: wire.Int(due.UnixMilli()),
		})
		synctest.Wait()
		require.True(t, due.Equal(got.Due))
		require.True(t, due.Add(time.Second).Equal(got.Triggered))
		require.Equal(t, time.Now().Add(9*time.Second), deadline)
		require.Equal(t, []any{int64(7), int64(8), "a=1", 2, 5, 9 * time.Second},
			[]any{got.JobID, got.LogID, got.Param, got.ShardIndex, got.ShardTotal, got.Timeout})

		e.post("/run", beanRun(7, 9, "see"))
		synctest.Wait()
		require.True(t, got.Due.IsZero(), "a Java admin does not say when a run was due")
		require.True(t, deadline.IsZero())
	})
}

func TestFullQueue(t *testing.T) {
	bubble(t, Options{MaxQueued: 2}, func(t *testing.T, e *running, s *stage) {
		for id := int64(1); id <= 3; id++ {
			require.Equal(t, wire.OK(), e.trigger(7, id, ""))
		}
		require.Equal(t, "executor queue is full", e.trigger(7, 4, "").Msg)
		require.Equal(t, "executor queue is full", e.trigger(8, 5, "").Msg)
		require.Equal(t, "repeat trigger job, logId:3", e.trigger(7, 3, "").Msg)
		require.Equal(t, wire.OK(), e.trigger(7, 6, "COVER_EARLY"), "which empties the queue")
		s.end(nil)
		require.Equal(t, wire.OK(), e.trigger(7, 4, ""), "a refused run may be sent again")
	})
}

// TestInitAndDestroy checks when a handler is initialised and destroyed (XXL-JOB 2.4.2,
// JobThread.java).
func TestInitAndDestroy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var calls []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			calls = append(calls, what)
		}
		taken := func() []string {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			defer func() { calls = nil }()
			return calls
		}
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("h", func(ctx context.Context, run *Run) error {
				note("run")
				if run.Param != "wait" {
					return nil
				}
				<-ctx.Done()
				return ctx.Err()
			}, WithInit(func(context.Context) error {
				note("init")
				return errors.New("only logged")
			}), WithDestroy(func() {
				note("destroy")
				panic("only logged")
			})))
		})
		id := int64(0)
		run := func(param string) {
			id++
			req := beanRun(7, id, "h")
			req.Params, req.BlockStrategy = param, "COVER_EARLY"
			require.Equal(t, wire.OK(), e.post("/run", req))
			synctest.Wait()
		}
		run("")
		run("")
		require.Equal(t, []string{"init", "run", "run"}, taken())

		// Idle for as long as 31 polls of three seconds, counted from the last run.
		time.Sleep(93*time.Second - time.Nanosecond)
		require.Empty(t, taken())
		run("")
		time.Sleep(93*time.Second - time.Nanosecond)
		require.Equal(t, []string{"run"}, taken())
		time.Sleep(time.Nanosecond)
		require.Equal(t, []string{"destroy"}, taken())
		require.Equal(t, wire.MsgAlreadyKilled, e.post("/kill", wire.KillRequest{JobID: 7}).Msg)

		run("wait")
		require.Equal(t, []string{"init", "run"}, taken())
		run("wait") // covers
		require.Equal(t, []string{"destroy", "init", "run"}, taken())
		e.post("/kill", wire.KillRequest{JobID: 7})
		require.Equal(t, []string{"destroy"}, taken())
		run("")
		e.post("/kill", wire.KillRequest{JobID: 7}) // while idle
		require.Equal(t, []string{"init", "run", "destroy"}, taken())
		run("")
		e.stop()
		require.Equal(t, []string{"init", "run", "destroy"}, taken())
	})
}

// TestARunThatIsKilledDuringInitDoesNotBegin kills a job while its handler is initialised.
func TestARunThatIsKilledDuringInitDoesNotBegin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("h", func(context.Context, *Run) error {
				calls = append(calls, "run")
				return nil
			}, WithInit(func(ctx context.Context) error {
				calls = append(calls, "init")
				if len(calls) == 1 {
					<-ctx.Done()
				}
				return nil
			}), WithDestroy(func() { calls = append(calls, "destroy") })))
		})
		e.post("/run", beanRun(7, 1, "h"))
		synctest.Wait()
		e.post("/kill", wire.KillRequest{JobID: 7})
		synctest.Wait()
		require.Equal(t, []string{"init", "destroy"}, calls)
		require.Equal(t, "500 scheduling center kill job. [job running, killed]", e.outcome(1))
		e.post("/run", beanRun(7, 2, "h"))
		synctest.Wait()
		require.Equal(t, []string{"init", "destroy", "init", "run"}, calls)
		require.Equal(t, "200", e.outcome(2))
	})
}

// TestInitAndDestroyMayEndTheirGoroutine checks that a job continues after an init or destroy that
// calls runtime.Goexit, as a failing assertion of package testing does.
func TestInitAndDestroyMayEndTheirGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := start(t, Options{}, func(e *Executor) {
			require.NoError(t, e.Handle("init", echo, WithInit(func(context.Context) error { runtime.Goexit(); return nil })))
			require.NoError(t, e.Handle("destroy", echo, WithDestroy(runtime.Goexit)))
		})
		for id := int64(1); id <= 4; id += 2 {
			e.post("/run", beanRun(7, id, "init"))
			e.post("/run", beanRun(8, id+1, "destroy"))
			synctest.Wait()
			require.Equal(t, map[int64]string{1: "500 handler ended its goroutine without returning", 3: "200"}[id], e.outcome(id))
			require.Equal(t, "200", e.outcome(id+1), "the job does not continue")
			e.post("/kill", wire.KillRequest{JobID: 8})
			synctest.Wait()
		}
		e.stop()
	})
}

// TestAbandonedRunKeepsItsHandler checks that the job of an abandoned run is not forgotten until
// that run has returned, and that its handler is destroyed only after that.
func TestAbandonedRunKeepsItsHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage()
		s.stubborn = true
		var destroyed atomic.Int32
		e := start(t, Options{AbandonAfter: time.Second}, func(e *Executor) {
			require.NoError(t, e.Handle("stage", s.run, WithDestroy(func() { destroyed.Add(1) })))
		})
		e.trigger(7, 1, "")
		e.post("/kill", wire.KillRequest{JobID: 7})
		time.Sleep(time.Hour)
		synctest.Wait()
		require.Zero(t, destroyed.Load(), "destroyed under a run that continues")
		e.trigger(7, 2, "")
		s.end(nil) // one of the two
		s.end(nil)
		require.EqualValues(t, 1, destroyed.Load())
		time.Sleep(time.Hour)
		synctest.Wait()
		require.EqualValues(t, 2, destroyed.Load())
		require.Zero(t, e.jobCount(), "an idle job is kept")
	})
}

// TestIdleJobsAreForgotten checks that a job without runs is forgotten after as long as 31 empty
// polls of 3 s take (XXL-JOB 2.4.2, JobThread.java).
func TestIdleJobsAreForgotten(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		for id := int64(1); id <= 50; id++ {
			e.trigger(id, id, "")
		}
		for range 50 {
			s.end(nil)
		}
		require.Equal(t, 50, e.jobCount())
		time.Sleep(93 * time.Second)
		synctest.Wait()
		require.Zero(t, e.jobCount())
	})
}

// TestFirstRunsAtOnce checks that concurrent runs of an unknown job share one queue. XXL-JOB may
// create two workers, the second of which kills the first (2.4.2, XxlJobExecutor.java).
func TestFirstRunsAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		var senders sync.WaitGroup
		for id := int64(1); id <= 100; id++ {
			senders.Go(func() {
				if _, err := e.tryPost("/run", beanRun(7, id, "stage")); err != nil {
					t.Error(err)
				}
			})
		}
		senders.Wait()
		for range 100 {
			s.end(nil)
		}
		require.Len(t, s.ids(), 100)
		require.Equal(t, 1, s.most)
		time.Sleep(time.Second) // results are gathered by now
		for id := int64(1); id <= 100; id++ {
			require.Equal(t, "200", e.outcome(id))
		}
	})
}

// TestSameLogIDAtOnce checks that the same log id from many senders is accepted from only one of
// them.
func TestSameLogIDAtOnce(t *testing.T) {
	bubble(t, Options{}, func(t *testing.T, e *running, s *stage) {
		var senders sync.WaitGroup
		var mu sync.Mutex
		accepted := 0
		run := beanRun(7, 1, "stage")
		for range 50 {
			senders.Go(func() {
				reply, err := e.tryPost("/run", run)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if reply.Code == 200 {
					accepted++
				}
			})
		}
		senders.Wait()
		s.end(nil)
		require.Equal(t, 1, accepted)
		require.Equal(t, []int64{1}, s.ids())
	})
}

// readLog requests the log of a run from a line on.
func (r *running) readLog(run wire.RunRequest, from int) wire.LogResult {
	r.t.Helper()
	reply := r.post("/log", wire.LogRequest{LogID: run.LogID, LogTime: run.LogTime, FromLine: wire.Int(from)})
	require.Equal(r.t, wire.CodeOK, reply.Code)
	var result wire.LogResult
	require.NoError(r.t, wire.Decode(reply.Payload, &result))
	return result
}

// jobCount returns how many jobs the executor remembers.
func (r *running) jobCount() int {
	jobs := r.live.Load().jobs
	jobs.mu.Lock()
	defer jobs.mu.Unlock()
	return len(jobs.byID)
}
