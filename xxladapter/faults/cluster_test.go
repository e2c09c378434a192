//go:build linux

package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/triggermsg"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A cluster is one store with its schedulers, three executors, and a history of everything that
// happened.
type cluster struct {
	t       *testing.T
	ctx     context.Context
	db      database
	nodes   []*process
	servers []string // base URLs of the nodes
	history *testserver.Output
	rec     *checker.Recorder
	seen    []*witness

	group int64
	jobs  []*managed
	burst []*managed // due once a day; not stopped at the end

	// mayLose is set if the store may lose what it has confirmed. The checker then excuses only
	// what is explained by the losses that the schedulers report.
	mayLose bool
	redis   string // URL of the Redis in front of the store; empty means none

	judged *checker.History // what judge has read; nil before
}

// A managed job is one that the test created and may change.
type managed struct {
	id   int64
	kind xxladapter.ScheduleType
	conf string
}

// newCluster creates an empty store and starts its schedulers.
func newCluster(t *testing.T, e engine) *cluster { return newClusterOn(t, e, e.open(t)) }

func newClusterOn(t *testing.T, e engine, db database) *cluster {
	return newClusterVia(t, e, db, func(int) string { return db.url })
}

// newClusterVia is newClusterOn, but each scheduler reaches the store by a separate URL.
func newClusterVia(t *testing.T, e engine, db database, url func(node int) string, flags ...string) *cluster {
	return newClusterOf(t, e, db, func(node int) []string { return append([]string{"--store", url(node)}, flags...) })
}

// newClusterOf is newClusterOn, but each scheduler has flags of its own, which name its store.
func newClusterOf(t *testing.T, e engine, db database, flags func(node int) []string) *cluster {
	c := &cluster{t: t, ctx: context.Background(), db: db, history: new(testserver.Output)}
	c.rec = checker.NewRecorder(c.history, "test")
	for i := range e.nodes {
		listen := "127.0.0.1:" + testserver.FreePort(t)
		c.servers = append(c.servers, "http://"+listen)
		c.nodes = append(c.nodes, newProcess(t, fmt.Sprintf("scheduler %d", i+1),
			append([]string{"serve", "--listen", listen, "--zone", "UTC"}, flags(i)...)...))
	}
	for i := range 3 {
		// Each executor has a recorder of its own, as real ones would.
		c.seen = append(c.seen, newWitness(t, checker.NewRecorder(c.history, fmt.Sprintf("executor %d", i+1)), c.servers))
	}
	for _, n := range c.nodes {
		n.start()
	}
	c.group = c.addGroup("witness")
	return c
}

// addGroup creates a group of all executors.
func (c *cluster) addGroup(appName string) int64 {
	c.t.Helper()
	var addresses []string
	for _, w := range c.seen {
		addresses = append(addresses, w.server.URL)
	}
	var made struct{ ID int64 }
	c.must("POST", "/groups", map[string]any{
		"appName": appName, "title": appName, "addressType": 1, "addressList": addresses,
	}, &made)
	return made.ID
}

// A schedule is what a job is created with.
type schedule struct {
	kind xxladapter.ScheduleType
	conf string
}

var mixed = []schedule{
	{xxladapter.ScheduleCron, "* * * * * ?"},
	{xxladapter.ScheduleCron, "0/5 * * * * ?"},
	{xxladapter.ScheduleFixRate, "3"},
	{xxladapter.ScheduleFixRate, "1.7"},
}

// slower returns the schedule with a period that is n times as long. A cron expression must set its
// period in the seconds field only.
func (s schedule) slower(n int) schedule {
	if n == 1 {
		return s
	}
	if s.kind != xxladapter.ScheduleCron {
		period, err := strconv.ParseFloat(s.conf, 64)
		if err != nil {
			panic(err)
		}
		return schedule{s.kind, strconv.FormatFloat(period*float64(n), 'f', -1, 64)}
	}
	seconds, rest, _ := strings.Cut(s.conf, " ")
	first, period := 0, 1
	if seconds != "*" {
		if _, err := fmt.Sscanf(seconds, "%d/%d", &first, &period); err != nil {
			panic(err)
		}
	}
	return schedule{s.kind, fmt.Sprintf("%d/%d %s", first, period*n, rest)}
}

// addJobs creates and starts n jobs, which take the schedules in turn.
func (c *cluster) addJobs(n int, schedules []schedule, more map[string]any) {
	c.t.Helper()
	made := make([]*managed, n)
	var calls errgroup.Group
	calls.SetLimit(16)
	for i := range made {
		calls.Go(func() error {
			s := schedules[i%len(schedules)].slower(*slower)
			form := map[string]any{
				"jobGroup": c.group, "name": fmt.Sprintf("job %d", len(c.jobs)+i), "author": "faults", "executorHandler": "note",
				"executorRouteStrategy": "ROUND", "scheduleType": s.kind, "scheduleConf": s.conf,
			}
			for name, value := range more {
				form[name] = value
			}
			asked := time.Now()
			var answer struct{ ID int64 }
			if err := c.call("POST", "/jobs", form, &answer); err != nil {
				return err
			}
			made[i] = &managed{answer.ID, s.kind, s.conf}
			return c.rec.Change(checker.Change{
				Job: answer.ID, Op: checker.OpCreate, Asked: checker.At(asked), Acked: checker.At(time.Now()), Type: s.kind, Conf: s.conf,
			})
		})
	}
	require.NoError(c.t, calls.Wait())
	c.jobs = append(c.jobs, made...)
	c.changeAll(checker.OpStart)
}

// changeAll starts or stops every job and records it.
func (c *cluster) changeAll(op checker.Op) {
	c.t.Helper()
	var calls errgroup.Group
	calls.SetLimit(16)
	for _, j := range c.jobs {
		calls.Go(func() error { return c.change(j, op) })
	}
	require.NoError(c.t, calls.Wait())
}

func (c *cluster) change(j *managed, op checker.Op) error {
	asked := time.Now()
	var started struct{ TriggerNextTime time.Time }
	if err := c.call("POST", fmt.Sprintf("/jobs/%d/%s", j.id, op), nil, &started); err != nil {
		return err
	}
	return c.rec.Change(checker.Change{
		Job: j.id, Op: op, Asked: checker.At(asked), Acked: checker.At(time.Now()), First: checker.At(started.TriggerNextTime),
	})
}

// edit gives a job another schedule and records it.
func (c *cluster) edit(j *managed, s schedule) error {
	asked := time.Now()
	err := c.call("PUT", fmt.Sprintf("/jobs/%d", j.id), map[string]any{"scheduleType": s.kind, "scheduleConf": s.conf}, nil)
	if err != nil {
		return err
	}
	j.kind, j.conf = s.kind, s.conf
	return c.rec.Change(checker.Change{
		Job: j.id, Op: checker.OpEdit, Asked: checker.At(asked), Acked: checker.At(time.Now()), Type: s.kind, Conf: s.conf,
	})
}

var apiClient = &http.Client{Timeout: 20 * time.Second}

// call calls the management API of a scheduler.
//
// REQUIRES: all schedulers run.
func (c *cluster) call(method, path string, in, out any) error {
	return c.callAt(len(path)%len(c.servers), method, path, in, out) // any scheduler must be able to answer
}

// callAt calls the management API of one scheduler.
func (c *cluster) callAt(server int, method, path string, in, out any) error {
	var body bytes.Buffer
	if in != nil {
		if err := json.NewEncoder(&body).Encode(in); err != nil {
			return err
		}
	}
	req, err := http.NewRequestWithContext(c.ctx, method, c.servers[server]+"/api/v1"+path, &body)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := apiClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", method, path, resp.Status, data)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(data, out)
}

func (c *cluster) must(method, path string, in, out any) {
	c.t.Helper()
	require.NoError(c.t, c.call(method, path, in, out))
}

// runs returns how many runs have arrived so far.
func (c *cluster) runs() int {
	total := 0
	for _, w := range c.seen {
		w.mu.Lock()
		total += len(w.began)
		w.mu.Unlock()
	}
	return total
}

// runsOf returns how many runs of a job have arrived so far.
func (c *cluster) runsOf(job int64) int {
	total := 0
	for _, w := range c.seen {
		w.mu.Lock()
		total += w.runs[job]
		w.mu.Unlock()
	}
	return total
}

// waitForRuns waits until n more runs have arrived.
func (c *cluster) waitForRuns(n int) {
	c.t.Helper()
	from := c.runs()
	testserver.Eventually(c.t, 60*time.Second, fmt.Sprintf("%d further runs", n), func() bool {
		return c.runs() >= from+n
	})
}

// judge ends the load: it stops all jobs, waits until every fire and every result is settled, stops
// the schedulers, and has the checker read the history. Every due time must have led to one run, at
// most epsilon late.
func (c *cluster) judge(opts checker.Options) *checker.Report {
	c.t.Helper()
	for i, n := range c.nodes {
		require.True(c.t, n.alive(), "scheduler %d has ended by itself", i+1)
	}
	c.changeAll(checker.OpStop)
	quiet := 0
	last := c.runs()
	testserver.Eventually(c.t, 60*time.Second, "every result is taken", func() bool {
		now, pending := c.runs(), 0
		for _, w := range c.seen {
			pending += w.pending()
		}
		if now != last || pending > 0 {
			quiet = 0
		}
		last = now
		quiet++
		return quiet > 50 // polls, 20 ms or more apart
	})
	if c.redis != "" {
		c.compare()
	}
	for _, n := range c.nodes {
		n.stop()
	}
	store := openStore(c.t, c.db.url)
	defer func() { require.NoError(c.t, store.Close()) }()
	open, err := store.OpenFires(c.ctx, xxladapter.FireFilter{})
	require.NoError(c.t, err)
	require.Empty(c.t, open, "fires without an outcome")
	require.NoError(c.t, c.recordLogs(store))
	for _, l := range c.losses() {
		require.True(c.t, c.mayLose, "the store has lost what it had from %v to %v", l.Since, l.Until)
		require.NoError(c.t, c.rec.Loss(l))
	}
	for _, j := range c.jobs {
		misfires, err := store.Misfires(c.ctx, xxladapter.MisfireFilter{JobID: j.id})
		require.NoError(c.t, err)
		for _, m := range misfires {
			require.NoError(c.t, c.rec.Misfire(checker.Misfire{
				Job: m.JobID, Due: checker.At(m.Due), Until: checker.At(m.Until), Strategy: m.Strategy, At: checker.At(m.At),
			}))
		}
	}
	require.NoError(c.t, c.rec.Final(time.Now()))
	h, err := checker.Read(bytes.NewReader([]byte(c.history.String())))
	require.NoError(c.t, err)
	c.judged = h
	report := checker.Check(h, opts)
	if !report.Clean() { // for xxlwheel check; go test -artifacts keeps it
		kept := filepath.Join(c.t.ArtifactDir(), "history.jsonl")
		require.NoError(c.t, os.WriteFile(kept, []byte(c.history.String()), 0o644))
		c.t.Logf("what happened is in %s", kept)
		for _, v := range report.Violations[:min(3, len(report.Violations))] {
			c.explain(store, v)
		}
	}
	require.True(c.t, report.Clean(), "%s", report)
	require.NotZero(c.t, report.Matched, "%s", report)
	c.t.Logf("%s", report)
	return report
}

// explain logs what the store knows of the runs of a job around a due time at fault: a run that did
// not come may have a row that says why.
func (c *cluster) explain(store xxladapter.Store, v checker.Violation) {
	c.t.Helper()
	rows, err := store.Logs(c.ctx, xxladapter.LogFilter{JobID: v.Job, Limit: 100_000})
	require.NoError(c.t, err)
	for _, l := range rows {
		if since := l.TriggerTime.Sub(v.Due.Time()); since > -resolved() && since < 2*resolved() {
			c.t.Logf("job %d: log %d of %v, trigger code %d, result code %d: %s", v.Job, l.ID, l.TriggerTime, l.TriggerCode, l.HandleCode, l.TriggerMsg)
		}
	}
}

func (c *cluster) recordLogs(store xxladapter.Store) error {
	for after := int64(0); ; {
		rows, err := store.Logs(c.ctx, xxladapter.LogFilter{AfterID: after, Limit: 10_000})
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, l := range rows {
			// A result that a loss may have taken is judged by the checker, which knows when the
			// run ended.
			if l.HandleCode == xxladapter.ResultNone && l.TriggerCode == xxladapter.ResultOK && !(c.mayLose && c.began(l.ID)) {
				err = errors.Join(err, fmt.Errorf("log %d of job %d has no result", l.ID, l.JobID))
			}
			if l.TriggerCode == xxladapter.ResultUnknown && !c.began(l.ID) {
				err = errors.Join(err, c.recordSkip(l))
			}
			err = errors.Join(err, c.rec.Log(checker.Log{
				Log: l.ID, Job: l.JobID, TriggerCode: int32(l.TriggerCode), HandleCode: int32(l.HandleCode),
			}))
			after = l.ID
		}
		if err != nil {
			return err
		}
	}
}

// losses returns the losses of the store that the schedulers have reported, in no order.
func (c *cluster) losses() (all []checker.Loss) {
	for _, n := range c.nodes {
		for line := range strings.Lines(n.log.String()) {
			if found := lossLine.FindStringSubmatch(line); found != nil {
				since, err := time.Parse(time.RFC3339, found[1])
				require.NoError(c.t, err)
				until, err := time.Parse(time.RFC3339, found[2])
				require.NoError(c.t, err)
				all = append(all, checker.Loss{Since: checker.At(since), Until: checker.At(until)})
			}
		}
	}
	return all
}

// lossLine is the line by which a scheduler reports that its store has lost something.
var lossLine = regexp.MustCompile(`msg="what only the shared log had is lost: .* since=(\S+) until=(\S+)`)

// began reports whether the run of a log row has arrived anywhere.
func (c *cluster) began(id int64) bool {
	for _, w := range c.seen {
		w.mu.Lock()
		began := w.began[wire.Int(id)]
		w.mu.Unlock()
		if began {
			return true
		}
	}
	return false
}

// recordSkip records that a due time's hand-over was given up, as the strategy SKIP allows, and did
// not arrive. The message of the log row names the due time.
func (c *cluster) recordSkip(l *xxladapter.Log) error {
	text, _ := triggermsg.Value(l.TriggerMsg, triggermsg.Due)
	due, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("message of log %d: %w", l.ID, err)
	}
	return c.rec.Misfire(checker.Misfire{
		Job: l.JobID, Due: checker.At(due), Until: checker.At(due), Strategy: xxladapter.MisfireDoNothing, At: checker.At(due),
	})
}

// pause lets the load run, which sets the moment of the next fault.
func pause(d time.Duration) { time.Sleep(d) }
