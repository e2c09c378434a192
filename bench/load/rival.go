package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// rival measures a scheduler of any make from outside: a process of its own that hands runs to the
// executor of this tool, over plain XXL-JOB. What was due is known from the clock, what ran from
// the executor's own receipts, so the same figures hold for all makes. With -kills the scheduler is
// killed that often, three to ten seconds after it has started to send again.
//
// All jobs are due at each second of a window, by a cron expression that is due in these seconds
// alone, so that nothing has to be switched on at a certain time. Runs of a job are matched to its
// due times in order. After one that was missed the others are matched too early, so that lateness
// is told only if none was.
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
	o, err := open(ctx, p.store) // a store of ours, or a place for the rival's files
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
	r := &rivalProcess{kind: kind, plan: p, opened: o, port: port, executor: e.addr}
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
	pollUntil(ctx, time.Hour, func() bool { return !time.Now().Before(w.first) })
	began := r.cpu()
	executorBegan, err := e.cpuTime()
	if err != nil {
		return err
	}
	database, measured := o.serverCPU(ctx)
	kills, err := r.torment(ctx, w)
	if err != nil {
		return err
	}
	pollUntil(ctx, time.Until(w.end()), func() bool { return false })
	const after = 10 * time.Second // for what is late, and its results
	pollUntil(ctx, after, func() bool { return false })
	if err := ctx.Err(); err != nil {
		return err
	}
	used, peak := r.cpu()-began, r.peak()
	executorEnded, err := e.cpuTime()
	if err != nil {
		return err
	}
	databaseEnded, _ := o.serverCPU(ctx)
	r.stop() // writes what it holds
	if err := e.stop(); err != nil {
		return err
	}
	got, err := readReceipts(file)
	if err != nil {
		return err
	}
	seen := w.match(got.Runs, p.jobs)
	each := func(d time.Duration) float64 {
		return float64(d) / float64(time.Microsecond) / float64(max(len(got.Runs), 1))
	}
	at := func(q float64) float64 { return milliseconds(quantile(seen.late, q)) }
	figures := []figure{
		{100 * float64(seen.run) / float64(w.seconds*p.jobs), "%-run"}, {float64(seen.missed), "missed"}, {float64(seen.doubled), "doubled"},
		{float64(seen.early), "early"},
		{float64(len(got.Runs) - got.Acknowledged), "results-not-acknowledged"},
	}
	if lost, ok, err := r.withoutResult(ctx); err != nil {
		return err
	} else if ok {
		figures = append(figures, figure{float64(lost), "rows-without-result"})
	}
	if seen.missed == 0 {
		figures = append(figures, figure{at(0.50), "late-p50-ms"}, figure{at(0.99), "late-p99-ms"}, figure{at(1), "late-max-ms"})
	}
	figures = append(figures, figure{float64(peak) / (1 << 20), "MiB-peak"})
	if kills == 0 { // otherwise what the killed processes used is not known
		figures = append(figures, figure{each(used), "scheduler-µs/trip"})
	}
	figures = append(figures, figure{each(executorEnded - executorBegan), "executor-µs/trip"})
	if measured {
		figures = append(figures, figure{each(databaseEnded - database), "database-µs/trip"})
	}
	name := "Rival/" + p.rival
	if p.kills > 0 {
		name += "/kills=" + strconv.Itoa(p.kills)
	}
	printFigures(out, name, p, figures...)
	return nil
}

// torment kills and restarts the scheduler as often as the plan says.
func (r *rivalProcess) torment(ctx context.Context, w window) (kills int, err error) {
	for range r.plan.kills {
		pause := 3*time.Second + rand.N(7*time.Second)
		if time.Until(w.end()) < pause+5*time.Second {
			return kills, fmt.Errorf("-for is %v, too short for %d kills: only %d took place", r.plan.duration, r.plan.kills, kills)
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

// A window is the time in which all jobs are due once a second.
type window struct {
	first   time.Time
	seconds int
	cron    string // in Quartz' form
}

// windowOf returns the next window of the plan's duration that leaves so much time for
// preparations: below a minute it lies within one, otherwise it is whole minutes of one hour.
func windowOf(now time.Time, prepare, duration time.Duration) (window, error) {
	w := window{seconds: int(duration / time.Second)}
	w.first = now.UTC().Add(prepare).Truncate(time.Second).Add(time.Second)
	if w.seconds < 60 {
		if w.first.Second()+w.seconds > 60 {
			w.first = w.first.Truncate(time.Minute).Add(time.Minute)
		}
		w.cron = fmt.Sprintf("%d-%d %d %d * * ?", w.first.Second(), w.first.Second()+w.seconds-1, w.first.Minute(), w.first.Hour())
		return w, nil
	}
	minutes := w.seconds / 60
	if w.seconds%60 != 0 || minutes > 60 {
		return w, fmt.Errorf("-for is %v, must be below a minute or whole minutes up to an hour for rival", duration)
	}
	w.first = w.first.Add(time.Minute - 1).Truncate(time.Minute)
	if w.first.Minute()+minutes > 60 {
		w.first = w.first.Truncate(time.Hour).Add(time.Hour)
	}
	w.cron = fmt.Sprintf("* %d-%d %d * * ?", w.first.Minute(), w.first.Minute()+minutes-1, w.first.Hour())
	return w, nil
}

func (w window) end() time.Time { return w.first.Add(time.Duration(w.seconds) * time.Second) }

// A sight is what became of the due times of a window.
type sight struct {
	run, missed, doubled, early int
	late                        []time.Duration
}

// match compares the runs with the due times of so many jobs.
func (w window) match(runs []receipt, jobs int) (s sight) {
	perJob := map[int64][]int64{}
	for _, r := range runs {
		perJob[r.Job] = append(perJob[r.Job], r.At)
	}
	for _, at := range perJob {
		slices.Sort(at)
		s.doubled += max(len(at)-w.seconds, 0)
		for k, micros := range at[:min(len(at), w.seconds)] {
			late := time.UnixMicro(micros).Sub(w.first.Add(time.Duration(k) * time.Second))
			s.run++
			s.late = append(s.late, late)
			if late < 0 {
				s.early++
			}
		}
	}
	s.missed = w.seconds*jobs - s.run
	return s
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
