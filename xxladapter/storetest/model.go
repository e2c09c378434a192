package storetest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// RunModel runs random sequences of calls on the store that open returns and on the one that
// reference returns, and checks that both give the same answers. Ids may differ, because a store
// may skip some; what they refer to must be the same.
func RunModel(t *testing.T, open, reference func(t *testing.T, clock func() time.Time) xxladapter.Store) {
	rapid.Check(t, func(rt *rapid.T) {
		c := &clock{now: epoch}
		m := &model{
			ctx: t.Context(), clock: c, want: reference(t, c.Now), got: open(t, c.Now),
			groups: ids{}, jobs: ids{}, fires: ids{}, logs: ids{},
		}
		defer func() {
			require.NoError(rt, m.want.Close())
			require.NoError(rt, m.got.Close())
		}()
		m.begin(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":              m.same,
			"Advance":       m.advance,
			"SaveGroup":     m.saveGroup,
			"RemoveGroup":   m.removeGroup,
			"Register":      m.register,
			"Unregister":    m.unregister,
			"Expire":        m.expire,
			"CreateJob":     m.createJob,
			"UpdateJob":     m.updateJob,
			"StartJob":      m.startJob,
			"StopJob":       m.stopJob,
			"RemoveJob":     m.removeJob,
			"ClaimDue":      m.claimDue,
			"ClaimDueAgain": m.claimDue, // twice as often
			"PlanFires":     m.planFires,
			"ClaimFire":     m.claimFire,
			"ClaimFire2":    m.claimFire,
			"TakeFire":      m.takeFire,
			"SettleFire":    m.settleFire,
			"FinishRun":     m.finishRun,
			"AcceptRun":     m.acceptRun,
			"WriteOffStuck": m.writeOffStuck,
			"Lease":         m.lease,
			"Lease2":        m.lease,
			"Resign":        m.resign,
			"Retire":        m.retire,
			"PresenceEnded": m.endPresence,
			"FoldReports":   m.foldReports,
			"PurgeLogs":     m.purgeLogs,
			"ClaimTexts":    m.claimTexts,
			"SaveTexts":     m.saveTexts,
		})
	})
}

// A model is two stores that have seen the same calls.
type model struct {
	ctx       context.Context
	clock     *clock
	want, got xxladapter.Store

	groups, jobs, fires, logs ids

	terms []xxladapter.Term // issued so far, the newest last
}

// begin adds a group and two running jobs, so that short sequences reach the fires.
func (m *model) begin(t *rapid.T) {
	var groups []int64
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error {
		group, err := s.SaveGroup(m.ctx, &xxladapter.Group{AppName: "app-one", Title: "title"})
		groups = append(groups, group)
		return err
	})
	m.groups[groups[0]] = groups[1]
	for _, name := range []string{"every minute", "misfires"} {
		j := m.create(t, xxladapter.Job{GroupID: groups[0], Name: name})
		m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
			return StartAt(m.ctx, s, id(m.jobs, j), at(0))
		})
		// Consecutive ids are in partitions that mostly have one owner.
		for range rapid.SampledFrom([]int{0, 20, 40}).Draw(t, "ids left out") {
			m.forget(t, m.create(t, xxladapter.Job{GroupID: groups[0], Name: "forgotten"}))
		}
	}
	m.lease(t)
}

// create creates the same job in both stores, in the same partition, and returns the reference's
// id; 0 means that both refused it. Where a store skips ids, the reference skips the same number
// modulo the number of partitions.
func (m *model) create(t *rapid.T, j xxladapter.Job) int64 {
	theirs := j
	theirs.GroupID = m.groups.of(j.GroupID)
	got, gotErr := xxladapter.CreateJob(m.ctx, m.got, &theirs)
	for range xxladapter.Partitions {
		want, wantErr := xxladapter.CreateJob(m.ctx, m.want, &j)
		sameError(t, wantErr, gotErr)
		if wantErr != nil {
			return 0
		}
		if xxladapter.PartitionOf(want) == xxladapter.PartitionOf(got) {
			m.jobs[want] = got
			return want
		}
		require.NoError(t, xxladapter.RemoveJob(m.ctx, m.want, want))
	}
	t.Fatalf("job %d is of a partition that the reference's ids do not come to", got)
	return 0
}

// forget removes a job from both stores and from the ids to draw from.
func (m *model) forget(t *rapid.T, job int64) {
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		return xxladapter.RemoveJob(m.ctx, s, id(m.jobs, job))
	})
	delete(m.jobs, job)
}

// ids maps an id of the reference to the id of the same thing in the store.
type ids map[int64]int64

// nobody is an id that neither store has.
const nobody = 1<<31 - 1

// draw chooses a known id of the reference, or sometimes nobody. It prefers new ids, which more
// likely still exist.
func (i ids) draw(t *rapid.T, name string) int64 {
	known := slices.Sorted(maps.Keys(i))
	slices.Reverse(known)
	return rapid.SampledFrom(append(known, nobody)).Draw(t, name)
}

// of returns the store's id.
func (i ids) of(id int64) int64 {
	if id, ok := i[id]; ok {
		return id
	}
	return id
}

// back returns the reference's id.
func (i ids) back(id int64) int64 {
	for want, got := range i {
		if got == id {
			return want
		}
	}
	return id
}

// kind classifies an error as the contract does.
func kind(err error) string {
	switch {
	case err == nil:
		return "none"
	case errors.Is(err, xxladapter.ErrNotFound):
		return "not found"
	case errors.Is(err, xxladapter.ErrConflict):
		return "conflict"
	case errors.Is(err, xxladapter.ErrFenced):
		return "fenced"
	}
	return "other"
}

func sameError(t *rapid.T, want, got error) {
	if kind(want) != kind(got) {
		t.Fatalf("error: want %v, got %v", want, got)
	}
}

// both makes the same call on both stores.
func (m *model) both(t *rapid.T, call func(s xxladapter.Store, id func(i ids, id int64) int64) error) {
	want := call(m.want, func(_ ids, id int64) int64 { return id })
	got := call(m.got, ids.of)
	sameError(t, want, got)
}

// backFires translates the store's fires into the reference's ids.
func (m *model) backFires(fires []xxladapter.Fire) []xxladapter.Fire {
	fires = slices.Clone(fires)
	for i, f := range fires {
		fires[i].ID, fires[i].JobID, fires[i].LogID = m.fires.back(f.ID), m.jobs.back(f.JobID), m.logs.back(f.LogID)
		fires[i].GroupID, fires[i].Parent = m.groups.back(f.GroupID), m.logs.back(f.Parent)
	}
	return fires
}

// learn records the ids of new fires and their log rows, and compares the other fields.
func (m *model) learn(t *rapid.T, want, got []xxladapter.Fire) {
	require.Len(t, got, len(want))
	for i := range want {
		m.fires[want[i].ID] = got[i].ID
		if want[i].LogID != 0 {
			m.logs[want[i].LogID] = got[i].LogID
		}
	}
	if len(want) > 0 { // the contract does not tell nil from an empty list
		require.Equal(t, want, m.backFires(got))
	}
}

func (m *model) advance(t *rapid.T) {
	m.clock.Advance(time.Duration(rapid.IntRange(0, 40_000).Draw(t, "ms")) * time.Millisecond)
}

var (
	anApp     = rapid.SampledFrom([]string{"app-one", "app-two", "app-three"})
	anAddress = rapid.SampledFrom([]string{"http://a:1", "http://b:1", "https://c:1/", "nats://app/e1"})
	aNode     = rapid.SampledFrom([]string{"n1", "n2", "n3"})
)

// near draws an instant near the present, often a whole second.
func (m *model) near(t *rapid.T) time.Time {
	next := m.clock.Now().Truncate(time.Second).Add(
		time.Duration(rapid.IntRange(-15, 15).Draw(t, "seconds")) * time.Second,
	)
	if rapid.IntRange(0, 3).Draw(t, "odd") == 0 {
		next = next.Add(1234567 * time.Nanosecond)
	}
	return next
}

func (m *model) saveGroup(t *rapid.T) {
	g := xxladapter.Group{AppName: anApp.Draw(t, "app"), Title: "title"}
	if rapid.Bool().Draw(t, "existing") {
		g.ID = m.groups.draw(t, "group")
	}
	if rapid.Bool().Draw(t, "manual") {
		g.AddressType, g.Addresses = xxladapter.AddressManual, []string{"http://z:1", "http://y:1"}
	}
	var saved []int64
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		g := g
		g.ID = id(m.groups, g.ID)
		got, err := s.SaveGroup(m.ctx, &g)
		saved = append(saved, got)
		return err
	})
	if saved[0] != 0 {
		m.groups[saved[0]] = saved[1]
	}
}

func (m *model) removeGroup(t *rapid.T) {
	g := m.groups.draw(t, "group")
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		return s.RemoveGroup(m.ctx, id(m.groups, g))
	})
}

func (m *model) register(t *rapid.T) {
	name, addr := anApp.Draw(t, "app"), anAddress.Draw(t, "address")
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.Register(m.ctx, name, addr) })
}

func (m *model) unregister(t *rapid.T) {
	name, addr := anApp.Draw(t, "app"), anAddress.Draw(t, "address")
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.Unregister(m.ctx, name, addr) })
}

func (m *model) expire(t *rapid.T) {
	life := time.Duration(rapid.IntRange(0, 60_000).Draw(t, "life ms")) * time.Millisecond
	queued := rapid.Bool().Draw(t, "queued")
	want, wantErr := m.want.ExpireRegistrations(m.ctx, life, queued)
	got, gotErr := m.got.ExpireRegistrations(m.ctx, life, queued)
	sameError(t, wantErr, gotErr)
	require.Equal(t, want, got)
}

// drawJob draws a job from few different values, so that they collide.
func (m *model) drawJob(t *rapid.T) xxladapter.Job {
	j := xxladapter.Job{
		GroupID: m.groups.draw(t, "group"),
		Name:    rapid.SampledFrom([]string{"once", "every minute", "misfires", "undecided"}).Draw(t, "name"),
		Timeout: time.Duration(rapid.IntRange(0, 3).Draw(t, "timeout")) * time.Second,
	}
	if rapid.Bool().Draw(t, "children") {
		j.ChildIDs = []int64{1, 2}
	}
	return j
}

func (m *model) createJob(t *rapid.T) { m.create(t, m.drawJob(t)) }

func (m *model) updateJob(t *rapid.T) {
	j := m.drawJob(t)
	j.ID, j.TriggerNext = m.jobs.draw(t, "job"), m.near(t)
	j.Updated = m.drawSeen(t, j.ID)
	reschedule := rapid.Bool().Draw(t, "reschedule")
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		j := j
		j.ID, j.GroupID = id(m.jobs, j.ID), id(m.groups, j.GroupID)
		return xxladapter.UpdateJob(m.ctx, s, &j, reschedule)
	})
}

func (m *model) startJob(t *rapid.T) {
	j, next := m.jobs.draw(t, "job"), m.near(t)
	seen := m.drawSeen(t, j)
	var asked, started []time.Time
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		from, err := xxladapter.StartJob(m.ctx, s, id(m.jobs, j), seen, func(after time.Time) time.Time {
			asked = append(asked, after.UTC())
			return next
		})

		started = append(started, from)
		return err
	})
	require.Equal(t, started[0], started[1])
	if len(asked) > 0 {
		require.Equal(t, asked[0], asked[len(asked)-1])
	}
}

// drawSeen draws a value that a caller may have read as the job's Updated.
func (m *model) drawSeen(t *rapid.T, job int64) time.Time {
	j, err := m.want.Job(m.ctx, job)
	if err != nil {
		return time.Time{}
	}
	return rapid.SampledFrom([]time.Time{{}, j.Updated, j.Updated.Add(-time.Second)}).Draw(t, "seen")
}

func (m *model) stopJob(t *rapid.T) {
	j := m.jobs.draw(t, "job")
	seen := m.drawSeen(t, j)
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		return xxladapter.StopJob(m.ctx, s, id(m.jobs, j), seen)
	})
}

func (m *model) removeJob(t *rapid.T) {
	j := m.jobs.draw(t, "job")
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		return xxladapter.RemoveJob(m.ctx, s, id(m.jobs, j))
	})
}

// decide returns each kind of decision, depending on the job's name.
func decide(now time.Time, due []*xxladapter.Job) []xxladapter.Decision {
	var decisions []xxladapter.Decision
	for _, j := range due {
		d := xxladapter.Decision{JobID: j.ID, Last: j.TriggerNext, Next: j.TriggerNext.Add(time.Minute)}
		fire := xxladapter.Fire{Due: j.TriggerNext, Type: xxladapter.TriggerCron, RetryCount: -1}
		switch j.Name {
		case "once":
			d.Next, d.Stop = time.Time{}, true
		case "misfires":
			d.Misfires = []xxladapter.Misfire{
				{Due: j.TriggerNext, Until: now, Strategy: xxladapter.MisfireFireOnceNow, At: now},
			}
			fire.Type, fire.Addresses = xxladapter.TriggerMisfire, []string{"http://a:1"}
		case "undecided":
			continue
		}
		d.Fires = []xxladapter.Fire{fire}
		decisions = append(decisions, d)
	}
	return decisions
}

func (m *model) claimDue(t *rapid.T) {
	ahead := time.Duration(rapid.IntRange(0, 10_000).Draw(t, "ahead ms")) * time.Millisecond
	limit := rapid.IntRange(0, 5).Draw(t, "limit")
	by := m.drawTerm(t, "by")
	want, wantDue, wantErr := m.want.ClaimDue(m.ctx, by, ahead, limit, decide)
	got, gotDue, gotErr := m.got.ClaimDue(m.ctx, by, ahead, limit, decide)
	sameError(t, wantErr, gotErr)
	require.Equal(t, wantDue, gotDue)
	// Stores return the fires in any order. A job's own follow each other in time.
	slices.SortFunc(want, func(a, b xxladapter.Fire) int {
		return cmp.Or(cmp.Compare(a.JobID, b.JobID), a.Due.Compare(b.Due))
	})
	slices.SortFunc(got, func(a, b xxladapter.Fire) int {
		return cmp.Or(cmp.Compare(m.jobs.back(a.JobID), m.jobs.back(b.JobID)), a.Due.Compare(b.Due))
	})
	m.learn(t, want, got)
}

func (m *model) planFires(t *rapid.T) {
	j, due := m.jobs.draw(t, "job"), m.near(t)
	types := rapid.SliceOfN(rapid.SampledFrom([]xxladapter.TriggerType{
		xxladapter.TriggerCron, xxladapter.TriggerManual, xxladapter.TriggerRetry,
	}), 0, 3).Draw(t, "types")
	var planned [][]xxladapter.Fire
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		var fires []xxladapter.Fire
		for _, typ := range types {
			f := xxladapter.Fire{JobID: id(m.jobs, j), Due: due, Type: typ}
			if typ == xxladapter.TriggerRetry {
				f.ShardIndex, f.ShardTotal = 1, 3
			}
			fires = append(fires, f)
		}
		got, err := s.PlanFires(m.ctx, fires)
		planned = append(planned, got)
		return err
	})
	m.learn(t, planned[0], planned[1])
}

func (m *model) claimFire(t *rapid.T) {
	f, j, by := m.fires.draw(t, "fire"), m.jobs.draw(t, "job"), m.drawTerm(t, "by")
	shards := rapid.IntRange(0, 3).Draw(t, "shards")
	triggered := m.clock.Now().AddDate(0, 0, -rapid.IntRange(0, 2).Draw(t, "days ago"))
	address := rapid.SampledFrom([]string{"nats://app", queueA, "", "http://a:1"}).Draw(t, "address")
	var claimed [][]xxladapter.Fire
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		var logs []*xxladapter.Log
		for i := range shards {
			logs = append(logs, &xxladapter.Log{
				JobID: id(m.jobs, j), Address: address, Sharding: fmt.Sprintf("%d/%d", i, shards),
				TriggerTime: triggered,
			})
		}
		got, err := s.ClaimFire(m.ctx, by, id(m.fires, f), logs)
		claimed = append(claimed, got)
		return err
	})
	m.learn(t, claimed[0], claimed[1])
}

func (m *model) takeFire(t *rapid.T) {
	f, from, by := m.fires.draw(t, "fire"), m.drawTerm(t, "from"), m.drawTerm(t, "by")
	if open, err := m.want.OpenFires(m.ctx, xxladapter.FireFilter{}); err == nil &&
		rapid.Bool().Draw(t, "right owner") {
		for _, fire := range open {
			if fire.ID == f {
				from = fire.Owner
			}
		}
	}
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		return s.TakeFire(m.ctx, by, id(m.fires, f), from)
	})
}

func (m *model) settleFire(t *rapid.T) {
	f, l := m.fires.draw(t, "fire"), m.logs.draw(t, "log")
	state := rapid.SampledFrom(
		[]xxladapter.FireState{"", xxladapter.FireAmbiguous, xxladapter.FireClaimed},
	).Draw(t, "state")
	code, by := rapid.SampledFrom([]int{0, 200, 500}).Draw(t, "code"), m.drawTerm(t, "by")
	j, next, resume := m.drawNext(t)
	var sent, acknowledged time.Time
	if rapid.Bool().Draw(t, "sent") {
		sent = m.clock.Now()
		if rapid.Bool().Draw(t, "acknowledged") {
			acknowledged = sent.Add(12345678 * time.Nanosecond)
		}
	}
	var planned [][]xxladapter.Fire
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		settled := xxladapter.Settlement{
			FireID: id(m.fires, f), LogID: id(m.logs, l), State: state, Code: code, Msg: "msg", Sent: sent,
			Acknowledged: acknowledged,
		}
		settled.Next, settled.Resume = followingFrom(id(m.jobs, j), next, resume)
		got, err := s.SettleFire(m.ctx, by, settled)
		planned = append(planned, got)
		return err
	})
	m.learn(t, planned[0], planned[1])
}

// drawNext chooses what follows from an outcome: fires of a job, by their due times, and when its
// schedule continues.
func (m *model) drawNext(t *rapid.T) (job int64, next []time.Time, resume time.Time) {
	for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "fires that follow") {
		next = append(next, m.near(t))
	}
	if rapid.Bool().Draw(t, "resume") {
		resume = m.near(t)
	}
	return m.jobs.draw(t, "job"), next, resume
}

func followingFrom(jobID int64, dues []time.Time, resume time.Time) (next []xxladapter.Fire, r xxladapter.Resume) {
	for _, due := range dues {
		next = append(next, xxladapter.Fire{JobID: jobID, Due: due, Type: xxladapter.TriggerRetry, RetryCount: 1})
	}
	if !resume.IsZero() {
		r = xxladapter.Resume{JobID: jobID, Next: resume}
	}
	return next, r
}

func (m *model) writeOffStuck(t *rapid.T) {
	age, limit := time.Duration(rapid.IntRange(0, 60).Draw(t, "age"))*time.Second, rapid.IntRange(0, 3).Draw(t, "limit")
	var written []int
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error {
		logs, err := s.WriteOffStuck(m.ctx, age, limit, xxladapter.ResultUnknown, "unknown")
		written = append(written, len(logs))
		return err
	})
	require.Equal(t, written[0], written[1])
}

func (m *model) finishRun(t *rapid.T) {
	l, code := m.logs.draw(t, "log"), rapid.SampledFrom([]int{0, 200, 500}).Draw(t, "code")
	wantText := rapid.Bool().Draw(t, "want text")
	j, next, resume := m.drawNext(t)
	var applied []bool
	var planned [][]xxladapter.Fire
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		r := xxladapter.RunResult{LogID: id(m.logs, l), Code: code, Msg: "done", WantText: wantText}
		r.Next, r.Resume = followingFrom(id(m.jobs, j), next, resume)
		got, fires, err := s.FinishRun(m.ctx, r)
		applied, planned = append(applied, got), append(planned, fires)
		return err
	})
	require.Equal(t, applied[0], applied[1])
	m.learn(t, planned[0], planned[1])
}

func (m *model) acceptRun(t *rapid.T) {
	l, address := m.logs.draw(t, "log"), rapid.SampledFrom([]string{queueA, queueB}).Draw(t, "address")
	held := rapid.Bool().Draw(t, "held")
	var may [][]bool
	m.both(t, func(s xxladapter.Store, id func(ids, int64) int64) error {
		got, err := s.AcceptRuns(m.ctx, []xxladapter.Accept{{LogID: id(m.logs, l), Address: address, Held: held}})
		may = append(may, got)
		return err
	})
	require.Equal(t, may[0], may[1])
}

// drawTerm chooses an issued term, most likely a new one, or sometimes one that was never issued.
// Stores issue the same numbers, because none is skipped.
func (m *model) drawTerm(t *rapid.T, name string) xxladapter.Term {
	terms := slices.Clone(m.terms)
	slices.Reverse(terms)
	return rapid.SampledFrom(append(terms, xxladapter.Term{Node: "n1", Number: nobody})).Draw(t, name)
}

func (m *model) lease(t *rapid.T) {
	node, life := aNode.Draw(t, "node"), time.Duration(rapid.IntRange(0, 60_000).Draw(t, "life ms"))*time.Millisecond
	leads, election := rapid.Bool().Draw(t, "leads"), xxladapter.Election(rapid.IntRange(-2, 3).Draw(t, "election"))
	var leases []xxladapter.Lease
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error {
		var got xxladapter.Lease
		var err error
		if leads {
			got, err = s.Lead(m.ctx, node, life, election)
		} else {
			got, err = s.Lease(m.ctx, node, life)
		}
		leases = append(leases, got)
		return err
	})
	require.False(t, leases[1].Quiet && !leases[0].Quiet, "a fire is open that is due") // false tells nothing
	leases[1].Quiet = leases[0].Quiet
	require.Equal(t, leases[0], leases[1])
	if term := leases[0].Term; term.Number != 0 && !slices.Contains(m.terms, term) {
		m.terms = append(m.terms, term)
	}
}

func (m *model) resign(t *rapid.T) {
	term := m.drawTerm(t, "term")
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.Resign(m.ctx, term) })
}

func (m *model) retire(t *rapid.T) {
	term := m.drawTerm(t, "term")
	why := rapid.SampledFrom([]xxladapter.MoveCause{xxladapter.MoveStopped, xxladapter.MoveDrained}).Draw(t, "why")
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.Retire(m.ctx, term, why) })
}

func (m *model) endPresence(t *rapid.T) {
	term := m.drawTerm(t, "term")
	m.both(t, func(s xxladapter.Store, _ func(ids, int64) int64) error { return s.PresenceEnded(m.ctx, term) })
}

// same compares groups, jobs, fires, log rows and what belongs to them, moves of partitions, and
// reports.
func (m *model) same(t *rapid.T) {
	wantGroups, err := m.want.Groups(m.ctx)
	require.NoError(t, err)
	gotGroups, err := m.got.Groups(m.ctx)
	require.NoError(t, err)
	for _, g := range gotGroups {
		g.ID = m.groups.back(g.ID)
	}
	require.Equal(t, wantGroups, gotGroups)

	wantJobs, err := m.want.Jobs(m.ctx, xxladapter.JobFilter{})
	require.NoError(t, err)
	gotJobs, err := m.got.Jobs(m.ctx, xxladapter.JobFilter{})
	require.NoError(t, err)
	for i, j := range gotJobs {
		require.Less(t, i, len(wantJobs))
		m.sameMisfires(t, wantJobs[i].ID, j.ID)
		j.ID, j.GroupID = m.jobs.back(j.ID), m.groups.back(j.GroupID)
	}
	require.Equal(t, wantJobs, gotJobs)

	wantFires, err := m.want.OpenFires(m.ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	gotFires, err := m.got.OpenFires(m.ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	if len(gotFires) > 0 {
		gotFires = m.backFires(gotFires)
	}
	require.Equal(t, wantFires, gotFires)

	wantLogs, err := m.want.Logs(m.ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	gotLogs, err := m.got.Logs(m.ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	for _, l := range gotLogs {
		l.ID, l.JobID = m.logs.back(l.ID), m.jobs.back(l.JobID)
	}
	require.Equal(t, wantLogs, gotLogs)
	m.sameTexts(t, wantLogs)
	m.sameHistories(t, wantLogs)

	wantMoves, err := m.want.PartitionMoves(m.ctx, 100)
	require.NoError(t, err)
	gotMoves, err := m.got.PartitionMoves(m.ctx, 100)
	require.NoError(t, err)
	require.Len(t, gotMoves, len(wantMoves))
	for i := range gotMoves {
		gotMoves[i].ID = wantMoves[i].ID
	}
	require.Equal(t, wantMoves, gotMoves)

	wantReports, err := m.want.Reports(m.ctx, time.Time{}, time.Time{})
	require.NoError(t, err)
	gotReports, err := m.got.Reports(m.ctx, time.Time{}, time.Time{})
	require.NoError(t, err)
	require.Equal(t, wantReports, gotReports)
}

func (m *model) sameHistories(t *rapid.T, logs []*xxladapter.Log) {
	var want, got []int64
	for _, l := range logs {
		want, got = append(want, l.ID), append(got, m.logs.of(l.ID))
	}
	wantHistories, err := m.want.RunHistories(m.ctx, want)
	require.NoError(t, err)
	gotHistories, err := m.got.RunHistories(m.ctx, got)
	require.NoError(t, err)
	require.Len(t, gotHistories, len(wantHistories))
	for id, h := range gotHistories {
		h.LogID, h.Parent = m.logs.back(h.LogID), m.logs.back(h.Parent)
		require.Equal(t, wantHistories[m.logs.back(id)], h)
	}
}

func (m *model) sameMisfires(t *rapid.T, wantJob, gotJob int64) {
	want, err := m.want.Misfires(m.ctx, xxladapter.MisfireFilter{JobID: wantJob})
	require.NoError(t, err)
	got, err := m.got.Misfires(m.ctx, xxladapter.MisfireFilter{JobID: gotJob})
	require.NoError(t, err)
	require.Len(t, got, len(want))
	for i := range want {
		want[i].ID, want[i].JobID = got[i].ID, got[i].JobID
	}
	require.Equal(t, want, got)
}
