package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// overload measures what becomes of due times when more runs are due than can be handed over. -jobs
// is the number that the machine hands over in a second, as trip measures it. Phases last whole
// minutes. In each second of a phase, half of that number is due, or all of it, or twice or four
// times as many. A second app, with an executor of its own, has a hundredth of the jobs. It should
// notice nothing.
//
// With -same the phases from the full load on have four times -jobs jobs each, which are due every
// four seconds, every two, or each second. So these phases differ in their load alone, and not in
// how many jobs pass through the memory.
//
// The cron expression of a job names whole minutes. In these minutes the job is due in steps of
// whole seconds, so the due times are known beforehand. Each must turn up once: sent, failed, or in
// the record of a misfire.
func overload(ctx context.Context, out io.Writer, p plan) (err error) {
	if p.duration%time.Minute != 0 || p.duration > 20*time.Minute {
		return fmt.Errorf("-for is %v, must be whole minutes up to 20 for overload", p.duration)
	}
	phases := overloadPhases(int(p.duration / time.Minute))
	o, err := open(ctx, p)
	if err != nil {
		return err
	}
	defer o.cleanUp()
	seen := &dueTimes{}
	n, err := serve(ctx, o.Store, p, nil, seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, n.end()) }()
	groups, stopExecutors, err := overloadExecutors(ctx, o, n.url, p.batch)
	defer func() { err = errors.Join(err, stopExecutors()) }()
	if err != nil {
		return err
	}
	w, err := addOverload(ctx, o, overloadSets(p.jobs, p.same), groups, phases, seen)
	if err != nil {
		return err
	}
	const after = 15 * time.Second // for what is late
	scheduling, stop := context.WithDeadline(ctx, w.end().Add(after))
	defer stop()
	var watching sync.WaitGroup
	memory := make([]int64, len(phases))
	watching.Go(func() { watchMemory(scheduling, w.first, phases, memory) })
	if p.every > 0 {
		watching.Go(func() { watchGauges(scheduling, out, p.every, n.Node, o, &seen.seen) })
	}
	err = n.Schedule(scheduling)
	stop()
	watching.Wait()
	if err != nil {
		return err
	}
	seen.report(out, p, phases, memory)
	return nil
}

// overloadExecutors starts the executors of the measured app and of the other one, and stores their
// groups. stop ends those that were started, also after an error.
func overloadExecutors(
	ctx context.Context, o *opened, url string, batch bool,
) (groups [2]int64, stop func() error, err error) {
	var stops []func() error
	stop = func() (err error) {
		for _, end := range stops {
			err = errors.Join(err, end())
		}
		return err
	}
	for i, app := range [...]string{appName, "other"} {
		e, err := startExecutor(executorOptions{Admin: url, App: app, Dir: filepath.Join(o.dir, app), Batch: batch})
		if err != nil {
			return groups, stop, err
		}
		stops = append(stops, e.stop)
		if groups[i], err = o.SaveGroup(ctx, &xxladapter.Group{
			AppName: app, Title: app, AddressType: xxladapter.AddressManual, Addresses: []string{e.addr},
		}); err != nil {
			return groups, stop, err
		}
	}
	return groups, stop, nil
}

// addOverload stores the jobs of all phases, and returns the window in which they are due.
func addOverload(
	ctx context.Context, o *opened, sets []jobSet, groups [2]int64, phases []phase, seen *dueTimes,
) (window, error) {
	minutes, total := 0, 0
	for _, ph := range phases {
		minutes += ph.minutes
	}
	for _, s := range sets {
		total += s.jobs
	}
	prepare := settle + time.Duration(total)*time.Millisecond
	w, err := windowOf(time.Now(), prepare, time.Duration(minutes)*time.Minute)
	if err != nil {
		return w, err
	}
	seen.first, seen.seconds = w.first, w.seconds
	for _, s := range sets {
		if err := s.add(ctx, o, groups, w, phases, seen); err != nil {
			return w, err
		}
	}
	if late := time.Since(w.first); late > 0 {
		return w, fmt.Errorf("the jobs were stored %v after the first due time", late)
	}
	return w, nil
}

// watchMemory notes the most resident memory of this process in each phase, until ctx ends.
func watchMemory(ctx context.Context, begin time.Time, phases []phase, most []int64) {
	end := begin
	for i, ph := range phases {
		end = end.Add(time.Duration(ph.minutes) * time.Minute)
		for time.Now().Before(end) && ctx.Err() == nil {
			pollUntil(ctx, 100*time.Millisecond, func() bool { return false })
			most[i] = max(most[i], resident())
		}
	}
}

// A phase is a part of the measurement with the load of its name.
type phase struct {
	name    string
	load    int // in hundredths of -jobs
	minutes int
}

func overloadPhases(minutes int) []phase {
	return []phase{
		{"half", 50, 1}, {"full", 100, 1}, {"twice", 200, minutes}, {"after-twice", 50, 1},
		{"four-times", 400, minutes}, {"after-four-times", 50, 1},
	}
}

// A jobSet holds the jobs that are due in the phases whose load is from..to.
type jobSet struct {
	group    int
	from, to int // in hundredths of -jobs
	jobs     int
	every    int // seconds from one due time of a job to the next; divides 60
}

// overloadSets returns the jobs of all phases; with same, those of the option -same.
func overloadSets(jobs int, same bool) []jobSet {
	const always = math.MaxInt
	other := jobSet{group: 1, to: always, jobs: max(jobs/100, 1), every: 1}
	if same {
		return []jobSet{
			other,
			{from: 50, to: 100, jobs: 2 * jobs, every: 4},
			{from: 100, to: 100, jobs: 2 * jobs, every: 4},
			{from: 200, to: 200, jobs: 4 * jobs, every: 2},
			{from: 400, to: 400, jobs: 4 * jobs, every: 1},
		}
	}
	return []jobSet{
		other,
		{from: 50, to: always, jobs: jobs / 2, every: 1},
		{from: 100, to: always, jobs: jobs - jobs/2, every: 1},
		{from: 200, to: always, jobs: jobs, every: 1},
		{from: 400, to: always, jobs: 2 * jobs, every: 1},
	}
}

// dueIn reports whether the jobs of a set are due in a phase.
func (s jobSet) dueIn(ph phase) bool { return s.from <= ph.load && ph.load <= s.to }

// add stores the jobs of a set, and tells seen when they are due. As many of them are due in one
// second as in another.
func (s jobSet) add(ctx context.Context, o *opened, groups [2]int64, w window, phases []phase, seen *dueTimes) error {
	for second := range s.every {
		jobs := (s.jobs + second) / s.every // adds up to s.jobs
		if err := s.addIn(ctx, o, groups, w, phases, seen, second, jobs); err != nil {
			return err
		}
	}
	return nil
}

// addIn stores the jobs of a set that are due first in a second of a minute.
func (s jobSet) addIn(
	ctx context.Context, o *opened, groups [2]int64, w window, phases []phase, seen *dueTimes, second, jobs int,
) error {
	var minutes []string
	begin, due := w.first, make([]bool, w.seconds)
	first := -1
	at := 0
	for _, ph := range phases {
		for range ph.minutes {
			if s.dueIn(ph) {
				minutes = append(minutes, strconv.Itoa(begin.Minute()))
				if first < 0 {
					first = at + second
				}
				for i := second; i < 60; i += s.every {
					due[at+i] = true
				}
			}
			begin, at = begin.Add(time.Minute), at+60
		}
	}
	seconds := "*"
	if s.every > 1 {
		seconds = fmt.Sprintf("%d/%d", second, s.every)
	}
	cron := fmt.Sprintf("%s %s %d * * ?", seconds, strings.Join(minutes, ","), w.first.Hour())
	job := newJob(groups[s.group], xxladapter.ScheduleCron, cron)
	before := len(seen.jobs)
	expected := secondsOf(due)
	err := addJobs(ctx, created{
		o.Store, func(id int64) { seen.expect(id, s.group, expected) },
	}, jobs, job, func(int) time.Time {
		return w.first.Add(time.Duration(first) * time.Second)
	})
	if added := len(seen.jobs) - before; err == nil && added != jobs {
		return fmt.Errorf("%d jobs were stored, must be %d", added, jobs)
	}
	return err
}

// created calls onCreate with the id of each job that it creates.
type created struct {
	xxladapter.JobEditStore
	onCreate func(id int64)
}

func (c created) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	made, err := c.JobEditStore.EditJobs(ctx, edits, whole)
	for i := range made {
		if edits[i].Act == xxladapter.ActCreate && made[i].Err == nil {
			c.onCreate(made[i].ID)
		}
	}
	return made, err
}

// dueTimes says what became of every due time of a window. It may be used from any goroutine.
type dueTimes struct {
	seen    seen // for the gauges
	first   time.Time
	seconds int

	mu     sync.Mutex // guards the fields below
	jobs   map[int64]*jobDueTimes
	late   [2][]lateness // by group and second
	misses []int         // misfires by second
	ended  []int         // results, by the second in which they were stored
	others int           // due times that were not expected
}

// jobDueTimes has a letter for each due time of a job: 'd' due, 's' sent, 'f' failed, 'm' misfired,
// '!' more than one of these.
type jobDueTimes struct {
	group int
	due   seconds
	was   []byte
}

// seconds are the due times of a job, which others share. By second of the window it has the number
// of due times up to this one, or 0 if the job is not due then.
type seconds []int32

// secondsOf numbers the seconds that are due.
func secondsOf(due []bool) seconds {
	s, n := make(seconds, len(due)), int32(0)
	for i, is := range due {
		if is {
			n++
			s[i] = n
		}
	}
	return s
}

func (d *dueTimes) expect(id int64, group int, due seconds) {
	j := &jobDueTimes{group: group, due: due, was: bytes.Repeat([]byte{'d'}, int(slices.Max(due)))}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.jobs == nil {
		d.jobs = map[int64]*jobDueTimes{}
		d.late = [2][]lateness{make([]lateness, d.seconds), make([]lateness, d.seconds)}
		d.misses, d.ended = make([]int, d.seconds), make([]int, d.seconds)
	}
	d.jobs[id] = j
}

// second returns the index of a moment.
func (d *dueTimes) second(at time.Time) int { return int(at.Sub(d.first) / time.Second) }

// letter returns where the letter of a due time is, and nil if the job is not due in that second.
//
// REQUIRES: d.mu is held.
func (d *dueTimes) letter(job int64, second int) *byte {
	j := d.jobs[job]
	if j == nil || second < 0 || second >= len(j.due) || j.due[second] == 0 {
		return nil
	}
	return &j.was[j.due[second]-1]
}

// mark notes what became of a due time.
//
// REQUIRES: d.mu is held.
func (d *dueTimes) mark(job int64, second int, became byte) *jobDueTimes {
	was := d.letter(job, second)
	switch {
	case was == nil:
		d.others++
		return nil
	case *was == 'd':
		*was = became
	default:
		*was = '!'
	}
	return d.jobs[job]
}

func (d *dueTimes) event(e trigger.Event) {
	d.seen.count(e.Kind)
	if e.Kind == trigger.EventAmbiguous {
		return // an event with the outcome follows
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if e.Kind == trigger.EventResult {
		if i := d.second(e.At); i >= 0 && i < d.seconds {
			d.ended[i]++
		}
		return
	}
	letter := byte('f')
	if e.Kind == trigger.EventSent {
		letter = 's'
	}
	second := d.second(e.Fire.Due)
	if j := d.mark(e.JobID, second, letter); j != nil && letter == 's' {
		d.late[j.group][second].add(e.At.Sub(e.Fire.Due))
	}
}

func (d *dueTimes) misfire(m xxladapter.Misfire) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for at := m.Due; !at.After(m.Until); at = at.Add(time.Second) {
		second := d.second(at)
		if d.letter(m.JobID, second) == nil {
			continue // between the job's minutes nothing is due
		}
		d.mark(m.JobID, second, 'm')
		d.misses[second]++
	}
}

// report prints a line for each phase and one for the whole.
func (d *dueTimes) report(out io.Writer, p plan, phases []phase, memory []int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := func(phase string) string { return "Overload/" + phase }
	begin := 0
	var normal lateness
	for i, ph := range phases {
		end := begin + 60*ph.minutes
		var late, other lateness
		ended, misses := 0, 0
		for s := begin; s < end; s++ {
			late.join(&d.late[0][s])
			other.join(&d.late[1][s])
			ended += d.ended[s]
			misses += d.misses[s]
		}
		if i == 0 {
			normal = late
		}
		figures := []figure{
			{float64(ended) / float64(end-begin), "trips/s"}, {float64(misses), "misfired"},
			{late.quantile(0.50), "late-p50-ms"}, {late.quantile(0.99), "late-p99-ms"},
			{late.quantile(1), "late-max-ms"},
			{other.quantile(0.99), "other-late-p99-ms"}, {float64(memory[i]) / (1 << 20), "MiB"},
		}
		if i > 0 && ph.load == phases[0].load {
			figures = append(figures, figure{float64(d.recovered(begin, end, &normal)), "s-until-normal"})
		}
		printFigures(out, name(ph.name), p, figures...)
		begin = end
	}
	var counts [256]int
	for _, j := range d.jobs {
		for _, letter := range j.was {
			counts[letter]++
		}
	}
	all := 0
	for _, letter := range []byte("dsfm!") {
		all += counts[letter]
	}
	printFigures(out, name("whole"), p, figure{float64(all), "due"}, figure{float64(counts['s']), "sent"},
		figure{float64(counts['m']), "misfired"}, figure{float64(counts['f']), "failed"},
		figure{float64(counts['d']), "unaccounted"}, figure{float64(counts['!']), "doubled"},
		figure{float64(d.others), "not-due"})
}

// recovered returns after how many seconds the lateness of each later second is at most twice the
// normal one, at the 99th percentile.
//
// REQUIRES: d.mu is held.
func (d *dueTimes) recovered(begin, end int, normal *lateness) int {
	limit := 2 * normal.quantile(0.99)
	for s := end - 1; s >= begin; s-- {
		if l := &d.late[0][s]; l.total == 0 || l.quantile(0.99) > limit {
			return s + 1 - begin
		}
	}
	return 0
}

// A lateness is a distribution in steps. Each step ends a tenth above the one before; the first
// ends at 0.11 ms.
type lateness struct {
	counts [160]int32
	total  int
	most   time.Duration
}

const latenessStep, latenessFirst = 1.1, 100 * time.Microsecond

func (l *lateness) add(late time.Duration) {
	i := int(math.Log(float64(max(late, latenessFirst))/float64(latenessFirst)) / math.Log(latenessStep))
	l.counts[min(i, len(l.counts)-1)]++
	l.total++
	l.most = max(l.most, late)
}

func (l *lateness) join(other *lateness) {
	for i, n := range other.counts {
		l.counts[i] += n
	}
	l.total += other.total
	l.most = max(l.most, other.most)
}

// quantile returns the upper end of the step that holds the share q, in milliseconds; for 1 it
// returns the exact maximum.
func (l *lateness) quantile(q float64) float64 {
	if q == 1 || l.total == 0 {
		return milliseconds(l.most)
	}
	below := 0
	for i, n := range l.counts {
		if below += int(n); float64(below) >= q*float64(l.total) {
			return milliseconds(min(l.most, time.Duration(float64(latenessFirst)*math.Pow(latenessStep, float64(i+1)))))
		}
	}
	return milliseconds(l.most)
}

// resident returns the resident set of this process in bytes; 0 on systems without /proc.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
