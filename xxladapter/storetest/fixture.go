package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// epoch is the start of every case's clock. It is not on a whole second, so that a store that does
// not truncate is found out.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 654_321_987, time.UTC)

// A fixture is what a case works on: a store, of which it sees the half that schedules, its clock,
// and a group for its jobs.
type fixture struct {
	*testing.T
	*require.Assertions
	ctx   context.Context
	store xxladapter.SchedulingStore
	clock *clock
	group int64
	// closeErr is the error of Close in a rule that permits one. Closing again may return it again.
	closeErr error

	mu    sync.Mutex                 // guards the field below
	terms map[string]xxladapter.Term // by node, as term has returned them
}

// A fullFixture is a fixture that sees both halves of its store.
type fullFixture struct {
	*fixture
	store xxladapter.Store // the same as that of fixture
}

// app is the app name of the fixture's group.
const app = "storetest-app"

func newFixture(t *testing.T, open SchedulingOpener) *fixture {
	b := &fixture{
		T: t, Assertions: require.New(t), ctx: t.Context(), clock: &clock{now: epoch},
		terms: map[string]xxladapter.Term{},
	}
	b.store = open(t, b.clock.Now)
	t.Cleanup(func() {
		if err := b.store.Close(); b.closeErr == nil {
			b.NoError(err)
		}
	})
	b.group = b.addGroup(app)
	return b
}

func newFullFixture(t *testing.T, open Opener) *fullFixture {
	b := &fullFixture{}
	b.fixture = newFixture(t, func(t *testing.T, clock func() time.Time) xxladapter.SchedulingStore {
		b.store = open(t, clock)
		return b.store
	})
	return b
}

// A clock stands still until a case moves it.
type clock struct {
	mu    sync.Mutex // guards the fields below
	now   time.Time
	after func() // called in the next reading of the clock; nil means none
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	now, after := c.now, c.after
	c.after = nil
	c.mu.Unlock()
	if after != nil {
		after()
	}
	return now
}

// OnNextRead makes the next reading of the clock call f, when the time is read and not yet
// returned.
func (c *clock) OnNextRead(f func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.after = f
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// at returns a due time: whole seconds after the second in which the clock starts.
func at(seconds int) time.Time {
	return epoch.Truncate(time.Second).Add(time.Duration(seconds) * time.Second)
}

// second returns t as a column of whole seconds stores it.
func second(t time.Time) time.Time { return t.Truncate(time.Second) }

func (b *fixture) addGroup(appName string) int64 {
	b.Helper()
	id, err := b.store.SaveGroup(b.ctx, &xxladapter.Group{AppName: appName, Title: "title"})
	b.NoError(err)
	return id
}

// newJob returns a job that is in no store, with a value in every field that an operator edits.
func (b *fixture) newJob(name string) *xxladapter.Job {
	return &xxladapter.Job{
		GroupID: b.group, Name: name, Author: "author", AlarmEmail: "a@example.org,b@example.org",
		ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 * * * ?", Misfire: xxladapter.MisfireFireOnceNow,
		Route: xxladapter.RouteFailover, Handler: "handler", Param: "p=1\n二", Block: xxladapter.BlockCoverEarly,
		Timeout: 90 * time.Second, RetryCount: 3,
		GlueType: xxladapter.GlueShell, GlueSource: "echo 'glue'\n", GlueRemark: "remark",
		ChildIDs: []int64{7, 5},
		Settings: xxladapter.Settings{
			Zone: "Europe/Berlin", MisfireWindow: 1500, AlarmOn: xxladapter.AlarmInARow, AlarmAfter: 3,
		},
		Tags: []string{"nightly", "team: billing"},
	}
}

func (b *fixture) addJob(name string) int64 {
	b.Helper()
	id, err := xxladapter.CreateJob(b.ctx, b.store, b.newJob(name))
	b.NoError(err)
	return id
}

// StartAt switches the schedule of a job on. next is its first due time and may be in the past.
func StartAt(ctx context.Context, s xxladapter.JobEditStore, id int64, next time.Time) error {
	_, err := xxladapter.StartJob(ctx, s, id, time.Time{}, func(time.Time) time.Time { return next })
	return err
}

// addRunning returns a job whose schedule is on, due at next.
func (b *fixture) addRunning(name string, next time.Time) int64 {
	b.Helper()
	id := b.addJob(name)
	b.NoError(StartAt(b.ctx, b.store, id, next))
	return id
}

func (b *fixture) job(id int64) *xxladapter.Job {
	b.Helper()
	j, err := b.store.Job(b.ctx, id)
	b.NoError(err)
	return j
}

// jobs returns all jobs by their ids.
func (b *fixture) jobs() map[int64]*xxladapter.Job {
	b.Helper()
	all, err := b.store.Jobs(b.ctx, xxladapter.JobFilter{})
	b.NoError(err)
	byID := map[int64]*xxladapter.Job{}
	for _, j := range all {
		byID[j.ID] = j
	}
	return byID
}

// addresses returns the addresses of the fixture's group.
func (b *fixture) addresses() []string {
	b.Helper()
	g, err := b.store.Group(b.ctx, b.group)
	b.NoError(err)
	return g.Addresses
}

// plan stores one fire of the job.
func (b *fixture) plan(jobID int64, due time.Time, typ xxladapter.TriggerType) xxladapter.Fire {
	b.Helper()
	fires, err := b.store.PlanFires(b.ctx, []xxladapter.Fire{{JobID: jobID, Due: due, Type: typ, RetryCount: -1}})
	b.NoError(err)
	b.Len(fires, 1)
	return fires[0]
}

// term returns the node's term, under a lease that lasts longer than any case.
func (b *fixture) term(node string) xxladapter.Term {
	b.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	term, known := b.terms[node]
	if !known {
		term = b.lease(node, 1000*time.Hour).Term
		b.terms[node] = term
	}
	return term
}

// newTerm returns the term that follows the node's last one, which must be over.
func (b *fixture) newTerm(node string) xxladapter.Term {
	b.Helper()
	b.mu.Lock()
	delete(b.terms, node)
	b.mu.Unlock()
	return b.term(node)
}

func (b *fixture) lease(node string, life time.Duration) xxladapter.Lease {
	b.Helper()
	l, err := b.store.Lease(b.ctx, node, life)
	b.NoError(err)
	return l
}

// lead gives or renews the lease of a node that plans all jobs or none.
func (b *fixture) lead(node string, life time.Duration) xxladapter.Lease {
	b.Helper()
	return b.elected(node, life, xxladapter.ElectionNone)
}

// elected gives or renews a lease as lead does, for a node whose elector has answered e.
func (b *fixture) elected(node string, life time.Duration, e xxladapter.Election) xxladapter.Lease {
	b.Helper()
	l, err := b.store.Lead(b.ctx, node, life, e)
	b.NoError(err)
	return l
}

// claimDue claims the due jobs with one fire each. They are due again a minute later.
func (b *fixture) claimDue() []xxladapter.Fire {
	b.Helper()
	fires, _, err := b.store.ClaimDue(b.ctx, b.term("n1"), 0, 100, everyMinute)
	b.NoError(err)
	return fires
}

// everyMinute plans one fire for each due time and makes the job due again a minute later.
func everyMinute(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
	var decisions []xxladapter.Decision
	for _, j := range due {
		decisions = append(decisions, xxladapter.Decision{
			JobID: j.ID,
			Fires: []xxladapter.Fire{{Due: j.TriggerNext, Type: xxladapter.TriggerCron, RetryCount: -1}},
			Last:  j.TriggerNext,
			Next:  j.TriggerNext.Add(time.Minute),
		})
	}
	return decisions
}

// claim claims a fire for node, with n log rows. For a fire that is not due yet it advances the
// clock to the due time and back.
func (b *fixture) claim(fire xxladapter.Fire, node string, n int) []xxladapter.Fire {
	b.Helper()
	return b.claimWith(fire, node, b.newLogs(fire.JobID, n))
}

// claimWith claims a fire as claim does, with given log rows.
func (b *fixture) claimWith(fire xxladapter.Fire, node string, logs []*xxladapter.Log) []xxladapter.Fire {
	b.Helper()
	if early := fire.Due.Sub(b.clock.Now()); early > 0 {
		b.clock.Advance(early)
		defer b.clock.Advance(-early)
	}
	claimed, err := b.store.ClaimFire(b.ctx, b.term(node), fire.ID, logs)
	b.NoError(err)
	b.Len(claimed, len(logs))
	return claimed
}

// settleBy settles a fire in a term and returns the fires that were planned in the same call.
func (b *fixture) settleBy(by xxladapter.Term, s xxladapter.Settlement) []xxladapter.Fire {
	b.Helper()
	planned, err := b.store.SettleFire(b.ctx, by, s)
	b.NoError(err)
	return planned
}

func (b *fixture) newLogs(jobID int64, n int) []*xxladapter.Log {
	var logs []*xxladapter.Log
	for range n {
		logs = append(logs, &xxladapter.Log{
			GroupID: b.group, JobID: jobID, Handler: "handler", TriggerTime: at(0), RetryCount: 2,
		})
	}
	return logs
}

func (b *fixture) log(id int64) *xxladapter.Log {
	b.Helper()
	l, err := b.store.Log(b.ctx, id)
	b.NoError(err)
	return l
}

func (b *fixture) openFires(f xxladapter.FireFilter) []xxladapter.Fire {
	b.Helper()
	fires, err := b.store.OpenFires(b.ctx, f)
	b.NoError(err)
	return fires
}

// dues returns the due times of all open fires.
func (b *fixture) dues() []time.Time {
	b.Helper()
	var dues []time.Time
	for _, f := range b.openFires(xxladapter.FireFilter{}) {
		dues = append(dues, f.Due)
	}
	return dues
}
