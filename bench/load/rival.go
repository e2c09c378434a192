package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rival measures a scheduler of any make from outside: a process of its own that hands runs to the
// executor of this tool, over plain XXL-JOB. What was due is known from the clock, what ran from
// the executor's own receipts, so the same figures hold for all makes. With -kills the scheduler is
// killed that often, three to ten seconds after the window begins or the scheduler listens again.
//
// All jobs are due at each second of a window, by a cron expression that is due in these seconds
// alone, so that nothing has to be switched on at a certain time. Runs of a job are matched to its
// due times in order. After a missed due time, runs are matched to due times before their own, so
// lateness is reported only if none was missed.
func rival(ctx context.Context, out io.Writer, p plan) (err error) {
	kind, ok := rivalKinds[p.rival]
	if !ok {
		return fmt.Errorf("-rival is %q, must be one of %s", p.rival, strings.Join(rivalNames(), ", "))
	}
	if p.program == "" {
		return errors.New("-program is empty, must be the rival's binary or jar")
	}
	w, err := windowOf(time.Now(), kind.prepare+time.Duration(p.jobs)*4*time.Millisecond, p.duration)
	if err != nil {
		return err
	}
	o, err := open(ctx, p) // a store of ours, or a place for the rival's files
	if err != nil {
		return err
	}
	defer o.cleanUp()
	port, err := freePort()
	if err != nil {
		return err
	}
	file := filepath.Join(o.dir, "receipts")
	e, err := startExecutor(executorOptions{
		Admin: fmt.Sprintf("http://127.0.0.1:%d%s", port, kind.path), Token: kind.token,
		Dir: filepath.Join(o.dir, "executor"), Receipts: file, Profile: p.executorProfile,
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.stop()) }()
	r := &rivalProcess{kind: kind, plan: p, opened: o, port: port, executor: e}
	if err := r.prepare(ctx, w); err != nil {
		return err
	}
	if err := r.start(ctx); err != nil {
		return err
	}
	defer r.kill()
	if err := r.ready(ctx, w); err != nil {
		return err
	}
	used, err := r.measure(ctx, w)
	if err != nil {
		return err
	}
	r.stop() // the scheduler writes what it holds
	if err := e.stop(); err != nil {
		return err
	}
	got, err := readReceipts(file)
	if err != nil {
		return err
	}
	lost, told, err := r.withoutResult(ctx)
	if err != nil {
		return err
	}
	seen := w.match(got.Runs, p.jobs)
	figures := append(
		seen.figures(w.seconds*p.jobs), figure{float64(len(got.Runs) - got.Acknowledged), "results-not-acknowledged"},
	)
	if told {
		figures = append(figures, figure{float64(lost), "rows-without-result"})
	}
	figures = append(figures, seen.lateness()...)
	name := "Rival/" + p.rival
	if p.kills > 0 {
		name += "/kills=" + strconv.Itoa(p.kills)
	}
	printFigures(out, name, p, append(figures, used.figures(len(got.Runs))...)...)
	return nil
}

// measure waits until ten seconds after the window, during which it kills the scheduler as often as
// the plan says. It returns what the processes have used.
func (r *rivalProcess) measure(ctx context.Context, w window) (u rivalUse, err error) {
	pollUntil(ctx, time.Hour, func() bool { return !time.Now().Before(w.first) })
	scheduler := r.cpu()
	executor, err := r.executor.cpuTime()
	if err != nil {
		return u, err
	}
	database, measured := r.serverCPU(ctx)
	kills, err := r.torment(ctx, w)
	if err != nil {
		return u, err
	}
	pollUntil(ctx, time.Until(w.end()), func() bool { return false })
	const after = 10 * time.Second // for what is late, and its results
	pollUntil(ctx, after, func() bool { return false })
	if err := ctx.Err(); err != nil {
		return u, err
	}
	u.peak, u.killed, u.measured = r.peak(), kills > 0, measured
	u.scheduler = r.cpu() - scheduler
	if u.executor, err = r.executor.cpuTime(); err != nil {
		return u, err
	}
	u.executor -= executor
	u.database, _ = r.serverCPU(ctx)
	u.database -= database
	return u, nil
}

// A rivalUse is the processor time and the memory that a measurement took.
type rivalUse struct {
	scheduler, executor, database time.Duration
	peak                          int64 // of the scheduler's resident set, in bytes
	killed                        bool  // what the killed processes used is not known
	measured                      bool  // the database is a server whose time is known
}

// figures returns what was used for each of so many runs.
func (u rivalUse) figures(runs int) []figure {
	each := func(d time.Duration) float64 {
		return float64(d) / float64(time.Microsecond) / float64(max(runs, 1))
	}
	figures := []figure{{float64(u.peak) / (1 << 20), "MiB-peak"}}
	if !u.killed {
		figures = append(figures, figure{each(u.scheduler), "scheduler-µs/trip"})
	}
	figures = append(figures, figure{each(u.executor), "executor-µs/trip"})
	if u.measured {
		figures = append(figures, figure{each(u.database), "database-µs/trip"})
	}
	return figures
}

// torment kills and restarts the scheduler as often as the plan says.
func (r *rivalProcess) torment(ctx context.Context, w window) (kills int, err error) {
	for range r.plan.kills {
		pause := 3*time.Second + rand.N(7*time.Second)
		if time.Until(w.end()) < pause+5*time.Second {
			return kills, fmt.Errorf(
				"-for is %v, too short for %d kills: only %d took place", r.plan.duration, r.plan.kills, kills,
			)
		}
		pollUntil(ctx, pause, func() bool { return false })
		if err := ctx.Err(); err != nil {
			return kills, err
		}
		r.kill()
		kills++
		if err := r.start(ctx); err != nil {
			return kills, err
		}
		if err := r.listening(ctx); err != nil {
			return kills, err
		}
	}
	return kills, nil
}

// cpu returns the processor time of the running process.
func (r *rivalProcess) cpu() time.Duration {
	stat, _ := processStat(r.proc())
	return stat.own
}

// peak returns the largest resident set of the running process, in bytes.
func (r *rivalProcess) peak() int64 {
	text, err := os.ReadFile(filepath.Join(r.proc(), "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10
		}
	}
	return 0
}

func (r *rivalProcess) proc() string { return fmt.Sprint("/proc/", r.cmd.Process.Pid) }

// stop asks the process to end, and kills it after half a minute.
func (r *rivalProcess) stop() {
	_ = r.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	patience := time.AfterFunc(30*time.Second, func() { _ = r.cmd.Process.Kill() })
	_ = r.cmd.Wait()
	patience.Stop()
	r.cmd = nil
}

// kill ends the process without a chance to clean up. Further calls do nothing.
func (r *rivalProcess) kill() {
	if r.cmd == nil {
		return
	}
	_ = r.cmd.Process.Signal(syscall.SIGKILL) // it may have ended
	_ = r.cmd.Wait()
	r.cmd = nil
}
