//go:build unix

package mysql

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A pair is two stores that get the same calls. Each fire has a job id of its own, by which its
// rows are the same in both.
type pair struct {
	one, grouped *records.Store
	terms        [2]xxladapter.Term
	fires        map[int64][2]int64 // the ids in both by job
	logs         map[int64][2]int64
}

// TestAGroupDoesWhatItsCallsDo makes random calls in a group on MySQL and one after the other on
// SQLite, and compares answers and rows.
func TestAGroupDoesWhatItsCallsDo(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	at := time.Date(2026, 3, 1, 23, 59, 58, 0, time.UTC)
	clock := func() time.Time { return at }
	p := pair{
		one: openSQLite(t, clock), grouped: openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{Clock: clock, Zone: time.UTC}),
		fires: map[int64][2]int64{}, logs: map[int64][2]int64{},
	}
	defer func() { require.NoError(t, errors.Join(p.one.Close(), p.grouped.Close())) }()
	for i, node := range []string{"n1", "n2"} {
		p.terms[i] = fixture.TermOf(t, p.one, node)
		require.Equal(t, p.terms[i], fixture.TermOf(t, p.grouped, node))
	}
	for round := range 40 {
		random := rand.New(rand.NewPCG(uint64(round), 1))
		first := int64(100 * (round + 1))
		p.prepare(t, random, first, at)
		ours, theirs := p.calls(random, first, at)
		at = at.Add(time.Second)
		shuffled := slices.Clone(ours)
		random.Shuffle(len(shuffled), func(i, k int) { shuffled[i], shuffled[k] = shuffled[k], shuffled[i] })
		again, err := p.grouped.Fires.Transact(ctx, shuffled)
		require.NoError(t, err)
		require.False(t, again)
		for i, c := range theirs {
			callAlone(ctx, p.one, c)
			what := fmt.Sprintf("round %d, call %d: %v and %v", round, i, c.Err, ours[i].Err)
			for _, kind := range []error{xxladapter.ErrConflict, xxladapter.ErrFenced, xxladapter.ErrNotFound} {
				require.Equal(t, errors.Is(c.Err, kind), errors.Is(ours[i].Err, kind), what)
			}
			require.Equal(t, c.Err == nil, ours[i].Err == nil, what)
			require.Equal(t, c.Applied, ours[i].Applied, what)
			if c.Claim != nil && c.Err == nil {
				p.logs[c.Claimed.JobID] = [2]int64{c.Claimed.LogID, ours[i].Claimed.LogID}
				require.Equal(t, anonymous(c.Claimed), anonymous(ours[i].Claimed), what)
			}
		}
		p.same(t, round)
	}
}

// prepare creates fires of all kinds.
func (p *pair) prepare(t *testing.T, random *rand.Rand, first int64, at time.Time) {
	t.Helper()
	ctx := t.Context()
	for job := first; job < first+12; job++ {
		end, owner, settled := random.IntN(2), p.terms[random.IntN(2)], random.IntN(4)
		claimed := random.IntN(3) > 0
		var fires, logs [2]int64
		for i, s := range []*records.Store{p.one, p.grouped} {
			planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: job, Due: at, Type: xxladapter.TriggerCron, Addresses: []string{"http://a:1"}}})
			require.NoError(t, err)
			fires[i] = planned[0].ID
			if !claimed {
				continue
			}
			taken, err := s.ClaimFire(ctx, owner, fires[i], []*xxladapter.Log{{JobID: job, TriggerTime: at}})
			require.NoError(t, err)
			logs[i] = taken[0].LogID
			if settled == 0 {
				_, err = s.SettleFire(ctx, owner, xxladapter.Settlement{FireID: fires[i], LogID: logs[i], Code: 500, Msg: "before"})
				require.NoError(t, err)
			}
			if settled < 2 && end == 0 {
				_, _, err := s.FinishRun(ctx, xxladapter.RunResult{LogID: logs[i], Code: 200})
				require.NoError(t, err)
			}
		}
		p.fires[job] = fires
		if claimed {
			p.logs[job] = logs
		}
	}
}

// calls returns a group for the second store, and the same calls for the first, both in the order
// in which they take effect.
func (p *pair) calls(random *rand.Rand, first int64, at time.Time) (ours, theirs []*records.FireCall) {
	var both [2][]*records.FireCall
	for range 30 {
		job := first + random.Int64N(13) // the last of them has no fire
		by := p.terms[random.IntN(2)]
		if random.IntN(10) == 0 {
			by.Number += 1000
		}
		kind, code, msg := random.IntN(3), []int{0, 200, 200, 500}[random.IntN(4)], []string{"", "same", fmt.Sprint("of ", job)}[random.IntN(3)]
		state := []xxladapter.FireState{"", "", xxladapter.FireAmbiguous}[random.IntN(3)]
		triggerTime := at.Add(time.Duration(random.IntN(3)) * time.Second) // of this day or the next
		for i := range both {
			c := &records.FireCall{By: by, FireID: p.fires[job][i], LogID: p.logs[job][i]}
			if c.FireID == 0 {
				c.FireID = 1_000_000
			}
			switch kind {
			case 0:
				c.LogID = 0
				c.Claim = &xxladapter.Log{JobID: job, GroupID: 7, TriggerTime: triggerTime, Param: msg, Handler: "h"}
			case 1:
				c.Settle = &xxladapter.Settlement{FireID: c.FireID, LogID: c.LogID, State: state, Code: code, Msg: msg}
				if code != 0 {
					c.Settle.Sent = at.Add(time.Duration(code) * time.Millisecond)
				}
				if code == 200 {
					c.Settle.Acknowledged = at.Add(time.Second + time.Duration(job)*time.Millisecond)
				}
			default:
				if c.LogID == 0 {
					c.LogID = 1_000_000
				}
				c.By, c.FireID = xxladapter.Term{}, 0
				c.Finish = &xxladapter.RunResult{LogID: c.LogID, Code: max(code, 1), Msg: msg, WantText: code == 500}
			}
			both[i] = append(both[i], c)
		}
	}
	for i := range both {
		admit := records.AdmitFires()
		both[i] = slices.DeleteFunc(both[i], func(c *records.FireCall) bool { return !admit(c) })
		slices.SortStableFunc(both[i], records.ByKind)
	}
	return both[1], both[0]
}

func callAlone(ctx context.Context, s *records.Store, c *records.FireCall) {
	switch {
	case c.Claim != nil:
		var fires []xxladapter.Fire
		if fires, c.Err = s.ClaimFire(ctx, c.By, c.FireID, []*xxladapter.Log{c.Claim}); c.Err == nil {
			c.Claimed = fires[0]
		}
	case c.Settle != nil:
		_, c.Err = s.SettleFire(ctx, c.By, *c.Settle)
	default:
		c.Applied, _, c.Err = s.FinishRun(ctx, *c.Finish)
	}
}

func anonymous(f xxladapter.Fire) xxladapter.Fire {
	f.ID, f.LogID = 0, 0
	return f
}

// same compares the rows in both stores.
func (p *pair) same(t *testing.T, round int) {
	t.Helper()
	var (
		fires   [2][]xxladapter.Fire
		logs    [2][]xxladapter.Log
		runs    [2]map[int64]xxladapter.RunHistory // by job
		texts   [2][]int64                         // by job
		reports [2][]xxladapter.Report
	)
	for i, s := range []*records.Store{p.one, p.grouped} {
		open, err := s.OpenFires(t.Context(), xxladapter.FireFilter{})
		require.NoError(t, err)
		for _, f := range open {
			require.Equal(t, f.ID, p.fires[f.JobID][i])
			require.Equal(t, f.LogID, p.logs[f.JobID][i], "job %d", f.JobID)
			fires[i] = append(fires[i], anonymous(f))
		}
		slices.SortFunc(fires[i], func(a, b xxladapter.Fire) int { return int(a.JobID - b.JobID) })
		rows, err := s.Logs(t.Context(), xxladapter.LogFilter{})
		require.NoError(t, err)
		var ids []int64
		for _, l := range rows {
			ids = append(ids, l.ID)
		}
		histories, err := s.RunHistories(t.Context(), ids)
		require.NoError(t, err)
		runs[i] = map[int64]xxladapter.RunHistory{}
		for _, l := range rows {
			require.Equal(t, l.ID, p.logs[l.JobID][i])
			h := histories[l.ID]
			h.LogID = 0
			runs[i][l.JobID] = h
			l.ID = 0
			logs[i] = append(logs[i], *l)
		}
		slices.SortFunc(logs[i], func(a, b xxladapter.Log) int { return int(a.JobID - b.JobID) })
		require.NoError(t, s.Query(t.Context(), `SELECT job_id FROM xxlwheel_log_fetch JOIN xxl_job_log ON id = log_id ORDER BY job_id`, nil, func(r records.Row) error {
			var job int64
			err := r.Scan(&job)
			texts[i] = append(texts[i], job)
			return err
		}))
		reports[i], err = s.Reports(t.Context(), time.Time{}, time.Time{})
		require.NoError(t, err)
	}
	require.Equal(t, fires[0], fires[1], "round %d", round)
	require.Equal(t, logs[0], logs[1], "round %d", round)
	require.Equal(t, runs[0], runs[1], "round %d", round)
	require.Equal(t, texts[0], texts[1], "round %d", round)
	require.Equal(t, reports[0], reports[1], "round %d", round)
}

// TestAGroupWaitsForItsOwnRowsOnly lets another transaction hold rows beside those of a group, in
// tables so small that a full scan would pass them.
func TestAGroupWaitsForItsOwnRowsOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 16)
	planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 100, Type: xxladapter.TriggerCron}, {JobID: 101, Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	held, free := fires[9], slices.Delete(slices.Clone(fires), 9, 10)
	group := []*records.FireCall{{By: term, FireID: planned[1].ID, Claim: &xxladapter.Log{JobID: 101}}}
	for i, f := range free {
		c := &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID}
		switch i % 3 {
		case 0:
			c.Settle = &xxladapter.Settlement{Code: 200, Msg: "sent"}
		case 1:
			c.Settle = &xxladapter.Settlement{Code: 500, Msg: "doubt", State: xxladapter.FireAmbiguous}
		default:
			c.By, c.FireID = xxladapter.Term{}, 0
			c.Finish = &xxladapter.RunResult{Code: 200}
		}
		group = append(group, c)
	}
	others, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	defer func() { require.NoError(t, others.Rollback()) }()
	for _, id := range []int64{held.ID, planned[0].ID} {
		_, err = others.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = retry_count + 1, node = 'other' WHERE id = ?`, id)
		require.NoError(t, err)
	}
	_, err = others.ExecContext(ctx, `UPDATE xxl_job_log SET alarm_status = 1 WHERE id = ?`, held.LogID)
	require.NoError(t, err)

	_, err = s.Fires.Transact(ctx, group)
	require.NoError(t, err, "it waits for no more than a second")
	for i, c := range group {
		require.NoError(t, c.Err, i)
	}
}

// claimedFires plans and claims n fires.
func claimedFires(t *testing.T, s *records.Store, by xxladapter.Term, n int) (claimed []xxladapter.Fire) {
	t.Helper()
	var plan []xxladapter.Fire
	for i := range n {
		plan = append(plan, xxladapter.Fire{JobID: int64(i + 1), Due: time.UnixMilli(int64(i + 1)), Type: xxladapter.TriggerCron})
	}
	fires, err := s.PlanFires(t.Context(), plan)
	require.NoError(t, err)
	for _, f := range fires {
		taken, err := s.ClaimFire(t.Context(), by, f.ID, []*xxladapter.Log{{JobID: f.JobID, TriggerTime: time.UnixMilli(1)}})
		require.NoError(t, err)
		claimed = append(claimed, taken[0])
	}
	return claimed
}

// TestARowThatIsHeldHoldsUpItsOwnCallOnly lets another transaction hold a log row of one call among
// many.
func TestARowThatIsHeldHoldsUpItsOwnCallOnly(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	fires := claimedFires(t, s, fixture.TermOf(t, s, "n1"), 20)
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxl_job_log SET alarm_status = 1 WHERE id = ?`, fires[7].LogID)
	require.NoError(t, err)

	began := time.Now()
	var others sync.WaitGroup
	errs := make([]error, len(fires))
	held := make(chan struct{})
	for i, f := range fires {
		run := func() { _, _, errs[i] = s.FinishRun(ctx, xxladapter.RunResult{LogID: f.LogID, Code: 200}) }
		if i == 7 {
			go func() { defer close(held); run() }()
		} else {
			others.Go(run)
		}
	}
	others.Wait()
	require.Less(t, time.Since(began), 10*time.Second) // a group waits for one row, and several rows are held
	select {
	case <-held:
		t.Error("the row was held")
	default:
	}
	require.NoError(t, other.Rollback())
	<-held
	require.NoError(t, errors.Join(errs...))
}

// untilItWaits gives a group time to reach a locked row. The server's own list of waits is no more
// recent, and a group that comes later only proves less.
func untilItWaits() { time.Sleep(300 * time.Millisecond) }

// TestAGroupDecidesByWhatWasCommittedBefore lets another transaction claim the fire that a call of
// a group claims too.
func TestAGroupDecidesByWhatWasCommittedBefore(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	planned, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 1, Type: xxladapter.TriggerCron}})
	require.NoError(t, err)
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET state = 'claimed', node = 'other', term = 99 WHERE id = ?`, planned[0].ID)
	require.NoError(t, err)
	claimed := make(chan error, 1)
	go func() {
		_, err := s.ClaimFire(ctx, term, planned[0].ID, []*xxladapter.Log{{JobID: 1}})
		claimed <- err
	}()
	untilItWaits()
	require.NoError(t, other.Commit())
	require.ErrorIs(t, <-claimed, xxladapter.ErrConflict)
}

// TestAGroupThatFailsLeavesNothingBehind fails a group after a change, and runs another one on its
// connection.
func TestAGroupThatFailsLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 3)
	settle := func(f xxladapter.Fire, msg string) *records.FireCall {
		return &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{Code: 200, Msg: msg}}
	}
	// Its text is wanted already, which nothing but its result asks for.
	require.NoError(t, s.Write(ctx, func(ctx context.Context, tx *records.Tx) error {
		_, err := tx.Exec(ctx, records.WantText, fires[1].LogID, 1)
		return err
	}))
	result := &records.FireCall{LogID: fires[1].LogID, Finish: &xxladapter.RunResult{Code: 200, WantText: true}}
	again, err := s.Fires.Transact(ctx, []*records.FireCall{settle(fires[0], ""), result})
	require.ErrorContains(t, err, "Duplicate entry")
	require.True(t, again)
	_, err = s.Fires.Transact(ctx, []*records.FireCall{settle(fires[2], "")})
	require.NoError(t, err)
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Equal(t, fires[:2], open)
}

// TestADeadlockedGroupIsRepeated lets a group and another transaction wait for each other. The
// server ends the group, which has changed less.
func TestADeadlockedGroupIsRepeated(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 2)
	for range 20 {
		_, err := s.PlanFires(ctx, []xxladapter.Fire{{JobID: 50, Type: xxladapter.TriggerCron}})
		require.NoError(t, err)
	}
	other, err := s.Reads.DB.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE job_id = 50`)
	require.NoError(t, err)
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE id = ?`, fires[1].ID)
	require.NoError(t, err)

	settled := make(chan error, 1)
	group := []*records.FireCall{}
	for _, f := range fires {
		group = append(group, &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{Code: 200}})
	}
	go func() {
		_, err := s.Fires.Transact(ctx, group)
		settled <- err
	}()
	untilItWaits()
	_, err = other.ExecContext(ctx, `UPDATE xxlwheel_fire SET retry_count = 9 WHERE id = ?`, fires[0].ID)
	require.NoError(t, err)
	require.NoError(t, other.Commit())
	require.NoError(t, <-settled)
	for _, c := range group {
		require.NoError(t, c.Err)
	}
	open, err := s.OpenFires(ctx, xxladapter.FireFilter{State: xxladapter.FireClaimed})
	require.NoError(t, err)
	require.Empty(t, open)
}

// TestABadCallHarmsNoOtherOfItsGroupOnMySQL makes many calls, one of which the server refuses.
func TestABadCallHarmsNoOtherOfItsGroupOnMySQL(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	s := openMySQLAt(t, mysqlDatabase(t, "3.4"), records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	var plan []xxladapter.Fire
	for i := range 30 {
		plan = append(plan, xxladapter.Fire{JobID: 1, Due: time.UnixMilli(int64(i + 1)), Type: xxladapter.TriggerCron})
	}
	fires, err := s.PlanFires(ctx, plan)
	require.NoError(t, err)
	errs := make([]error, len(fires))
	var wg sync.WaitGroup
	for i, f := range fires {
		wg.Go(func() {
			l := &xxladapter.Log{JobID: 1, TriggerTime: time.UnixMilli(1), Param: "it's a ? and a \\"}
			if i%10 == 7 {
				l.Handler = strings.Repeat("too long for its column", 20)
			}
			_, errs[i] = s.ClaimFire(ctx, term, f.ID, []*xxladapter.Log{l})
		})
	}
	wg.Wait()
	for i, err := range errs {
		if i%10 == 7 {
			require.Error(t, err)
		} else {
			require.NoError(t, err)
		}
	}
	logs, err := s.Logs(ctx, xxladapter.LogFilter{})
	require.NoError(t, err)
	require.Len(t, logs, 27)
	require.Equal(t, "it's a ? and a \\", logs[0].Param)
}

// TestAGroupIsNoLongerThanAServerTakes makes calls whose texts do not fit into one packet on a
// server as small as MySQL's ever were.
func TestAGroupIsNoLongerThanAServerTakes(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	server := testserver.StartMariaDB(t, "--max-allowed-packet=4M")
	address := server.Database(t)
	require.NoError(t, Migrate(ctx, address, true, records.Options{Logger: fixture.Quiet}))
	s := openMySQLAt(t, address, records.Options{})
	defer func() { require.NoError(t, s.Close()) }()
	term := fixture.TermOf(t, s, "n1")
	fires := claimedFires(t, s, term, 200)
	var wg sync.WaitGroup
	errs := make([]error, len(fires))
	for i, f := range fires {
		wg.Go(func() {
			call := &records.FireCall{By: term, FireID: f.ID, LogID: f.LogID, Settle: &xxladapter.Settlement{
				FireID: f.ID, LogID: f.LogID, Code: 200, Msg: strings.Repeat("'", 60_000+i),
			}}
			errs[i] = s.Grouped(ctx, call)
		})
	}
	wg.Wait()
	require.NoError(t, errors.Join(errs...))
}
