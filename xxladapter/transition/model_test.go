package transition_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

// TestPromises makes random calls, as several nodes, executors and operators may make them in any
// order, and checks after each call what the repository's README.md promises. At the end it checks
// that every open fire can still be settled.
func TestPromises(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := &world{
			now: due, fires: map[int64]xxladapter.Fire{}, runs: map[int64]*run{}, claimed: map[int64]int{},
			counted: map[xxladapter.LogStatus]int{}, holds: map[xxladapter.Term]bool{},
		}
		w.newTerm("n1")
		w.newTerm("n2")
		w.plan(rt)
		rt.Repeat(map[string]func(*rapid.T){
			"":         w.promises,
			"Advance":  w.advance,
			"Plan":     w.plan,
			"Stop":     w.stop,
			"Term":     w.endTerm,
			"Claim":    w.claim,
			"Claim2":   w.claim,
			"Claim3":   w.claim,
			"TakeFire": w.takeFire,
			"Settle":   w.settle,
			"Settle2":  w.settle,
			"Again":    w.settleAgain,
			"Finish":   w.finish,
			"Finish2":  w.finish,
			"WriteOff": w.writeOff,
		})
		w.bringToEnd(rt)
		w.promises(rt)
	})
}

// A world holds the state of a store and what has happened to it.
type world struct {
	now   time.Time
	fires map[int64]xxladapter.Fire // open ones, by id
	runs  map[int64]*run            // by log id
	terms []xxladapter.Term         // issued so far, the newest last
	holds map[xxladapter.Term]bool

	claimed  map[int64]int                // how often each fire was claimed
	counted  map[xxladapter.LogStatus]int // the daily figures, as changes have moved them
	lastFire int64
}

// A run is one log row.
type run struct {
	transition.LogState
	fire              int64 // the id of its fire
	result            int   // the code of the first result; 0 means none
	sent              int   // the code that its hand-over was last settled with
	dropped           bool  // that settlement had no code, because the job is gone
	retries, children int   // planned so far
}

func (w *world) newTerm(node string) {
	term := xxladapter.Term{Node: node, Number: int64(len(w.terms) + 1)}
	w.terms = append(w.terms, term)
	w.holds[term] = true
}

func (w *world) advance(t *rapid.T) {
	w.now = w.now.Add(time.Duration(rapid.IntRange(0, 2000).Draw(t, "ms")) * time.Millisecond)
}

func (w *world) plan(t *rapid.T) {
	ahead := rapid.SampledFrom([]time.Duration{0, 0, 0, 1500 * time.Millisecond}).Draw(t, "ahead")
	w.addFire(xxladapter.Fire{JobID: 1, Due: w.now.Add(ahead), Type: xxladapter.TriggerCron})
}

func (w *world) addFire(f xxladapter.Fire) int64 {
	w.lastFire++
	f.ID = w.lastFire
	if f.State == "" {
		f.State = xxladapter.FirePlanned
	}
	w.fires[f.ID] = f
	return f.ID
}

// stop deletes the planned fires of the schedule, as stopping a job does.
func (w *world) stop(t *rapid.T) {
	if rapid.IntRange(0, 3).Draw(t, "seldom") > 0 {
		return
	}
	maps.DeleteFunc(w.fires, func(_ int64, f xxladapter.Fire) bool {
		return f.State == xxladapter.FirePlanned && f.Type.Scheduled()
	})
}

// endTerm lets a term expire; its node begins another one.
func (w *world) endTerm(t *rapid.T) {
	term := w.drawTerm(t, "term")
	if w.holds[term] {
		w.holds[term] = false
		w.newTerm(term.Node)
	}
}

// drawTerm chooses a term that holds, or sometimes any term.
func (w *world) drawTerm(t *rapid.T, name string) xxladapter.Term {
	terms := slices.Clone(w.terms)
	if rapid.IntRange(0, 3).Draw(t, "holds") > 0 {
		terms = slices.DeleteFunc(terms, func(term xxladapter.Term) bool { return !w.holds[term] })
	}
	return rapid.SampledFrom(terms).Draw(t, name)
}

// drawFire chooses an open fire or the newest one, which may have been settled.
func (w *world) drawFire(t *rapid.T) int64 {
	open := slices.Sorted(maps.Keys(w.fires))
	slices.Reverse(open)
	return rapid.SampledFrom(append(open, w.lastFire)).Draw(t, "fire")
}

// drawOwner chooses the term that a fire belongs to, or sometimes any term.
func (w *world) drawOwner(t *rapid.T, id int64, name string) xxladapter.Term {
	owner := w.fires[id].Owner
	if owner.Number == 0 || rapid.IntRange(0, 2).Draw(t, "not the owner") == 2 {
		return w.drawTerm(t, name)
	}
	return owner
}

// drawRun chooses one of the last log ids, or 0, which no run has.
func (w *world) drawRun(t *rapid.T) int64 {
	return max(0, int64(len(w.runs)-rapid.IntRange(0, 3).Draw(t, "log, from the last one")))
}

func (w *world) rows(by xxladapter.Term, fireID, logID int64) transition.Rows {
	r := transition.Rows{Holds: w.holds[by]}
	if f, open := w.fires[fireID]; open {
		r.Fire = &f
	}
	if l := w.runs[logID]; l != nil {
		state := l.LogState
		r.Log = &state
	}
	return r
}

func (w *world) claim(t *rapid.T) {
	w.claimAs(t, w.drawTerm(t, "by"), w.drawFire(t), rapid.IntRange(1, 3).Draw(t, "shards"))
}

func (w *world) claimAs(t *rapid.T, by xxladapter.Term, id int64, shards int) {
	fire := w.fires[id]
	claimed, err := transition.Claim(w.rows(by, id, 0), by, id, shards, w.now)
	if err != nil {
		return
	}
	if !w.holds[by] || w.now.Before(fire.Due) || len(claimed) != shards {
		t.Fatalf("fire %d of %v is claimed by %v at %v, as %d of %d shards", id, fire.Due, by, w.now, len(claimed), shards)
	}
	w.claimed[id]++
	delete(w.fires, id)
	for i, shard := range claimed {
		shard.LogID = int64(len(w.runs) + 1)
		w.counted[xxladapter.LogRunning]++
		if i == 0 {
			w.fires[id] = shard
		} else {
			w.claimed[w.addFire(shard)]++
		}
		if (shard.ID == id) != (i == 0) {
			t.Fatalf("shard %d of fire %d has id %d", i, id, shard.ID)
		}
		w.runs[shard.LogID] = &run{fire: w.openFireOf(shard.LogID)}
	}
}

func (w *world) takeFire(t *rapid.T) {
	id := w.drawFire(t)
	w.takeFireAs(t, w.drawTerm(t, "by"), id, w.drawOwner(t, id, "from"))
}

func (w *world) takeFireAs(t *rapid.T, by xxladapter.Term, id int64, from xxladapter.Term) {
	if err := transition.TakeFire(w.rows(by, id, 0), by, id, from, w.holds[from]); err != nil {
		return
	}
	fire := w.fires[id]
	if !w.holds[by] || fire.Owner != from || from != by && w.holds[from] {
		t.Fatalf("fire %d of %v, which holds: %t, is taken over by %v, which holds: %t", id, fire.Owner, w.holds[fire.Owner], by, w.holds[by])
	}
	fire.Owner = by
	w.fires[id] = fire
}

func (w *world) settle(t *rapid.T) {
	id := w.drawFire(t)
	code := rapid.SampledFrom([]int{200, 500, 502, xxladapter.ResultUnknown, xxladapter.ResultNone}).Draw(t, "code")
	if fire, open := w.fires[id]; open {
		w.settleAs(t, w.drawOwner(t, id, "by"), id, fire.LogID, rapid.IntRange(0, 2).Draw(t, "ambiguous") == 2, code)
	}
}

// settleAgain settles a hand-over that is settled already, by a settlement or by a result.
func (w *world) settleAgain(t *rapid.T) {
	logID := w.drawRun(t)
	l := w.runs[logID]
	if l == nil || w.openFireOf(logID) != 0 {
		return
	}
	code := l.sent
	if l.result != 0 {
		code = rapid.SampledFrom([]int{200, 500}).Draw(t, "code")
	}
	w.settleAs(t, w.drawTerm(t, "by"), l.fire, logID, rapid.Bool().Draw(t, "ambiguous"), code)
}

// settleAs settles as package trigger does.
func (w *world) settleAs(t *rapid.T, by xxladapter.Term, id, logID int64, ambiguous bool, code int) {
	fire, open := w.fires[id]
	s := xxladapter.Settlement{FireID: id, LogID: logID, Code: code}
	if ambiguous {
		s.State, s.Code = xxladapter.FireAmbiguous, xxladapter.ResultNone
	} else if xxladapter.HandOverFailed(s.Code) && s.LogID != 0 {
		s.Next = []xxladapter.Fire{{JobID: 1, Due: w.now, Type: xxladapter.TriggerRetry}}
	}
	c, err := transition.Settle(w.rows(by, id, s.LogID), by, s)
	if err != nil {
		return
	}
	if !w.holds[by] || open && fire.State != xxladapter.FirePlanned && fire.Owner != by {
		t.Fatalf("fire %d of %v is settled by %v, which holds: %t", id, fire.Owner, by, w.holds[by])
	}
	if open && fire.State == xxladapter.FirePlanned && ambiguous {
		t.Fatalf("fire %d was never sent and is ambiguous", id)
	}
	if l := w.runs[s.LogID]; l != nil && !ambiguous {
		l.sent, l.dropped = s.Code, s.Code == xxladapter.ResultNone
	}
	w.apply(t, c, id, s.LogID)
	if l := w.runs[s.LogID]; l != nil && s.Code != xxladapter.ResultNone && l.TriggerCode != s.Code {
		t.Fatalf("log %d is settled with %d and has %d", s.LogID, s.Code, l.TriggerCode)
	}
	if _, left := w.fires[id]; left != (open && ambiguous) {
		t.Fatalf("fire %d is settled, ambiguous: %t, and left: %t", id, ambiguous, left)
	}
}

func (w *world) openFireOf(logID int64) int64 {
	for id, f := range w.fires {
		if logID != 0 && f.LogID == logID {
			return id
		}
	}
	return 0
}

func (w *world) finish(t *rapid.T) {
	w.finishAs(t, w.drawRun(t), rapid.SampledFrom([]int{200, 500, 502}).Draw(t, "code"))
}

func (w *world) finishAs(t *rapid.T, logID int64, code int) {
	next := xxladapter.Fire{JobID: 1, Due: w.now, Type: xxladapter.TriggerRetry}
	if code == xxladapter.ResultOK {
		next.Type = xxladapter.TriggerParent
	}
	fireID := w.openFireOf(logID)
	c, err := transition.Finish(w.rows(xxladapter.Term{}, fireID, logID), xxladapter.RunResult{
		LogID: logID, Code: code, Next: []xxladapter.Fire{next},
	}, w.now)
	if err != nil {
		if w.runs[logID] != nil {
			t.Fatalf("result of log %d is refused: %v", logID, err)
		}
		return
	}
	if l := w.runs[logID]; l.result == 0 {
		l.result = code
	}
	w.apply(t, c, fireID, logID)
	if w.openFireOf(logID) != 0 {
		t.Fatalf("log %d has a result, and an open fire", logID)
	}
}

func (w *world) writeOff(t *rapid.T) {
	id := w.drawRun(t)
	l := w.runs[id]
	open := w.openFireOf(id)
	c := transition.WriteOff(w.rows(xxladapter.Term{}, open, id), xxladapter.ResultUnknown, "unknown")
	if c.Log.Columns != transition.NoColumns && (open != 0 || l.LogState != transition.LogState{}) {
		t.Fatalf("log %d is written off with %+v and fire %d", id, *l, open)
	}
	w.apply(t, c, 0, id)
}

// apply carries out a change.
func (w *world) apply(t *rapid.T, c transition.Change, fireID, logID int64) {
	switch fire := w.fires[fireID]; c.Fire {
	case transition.DoubtFire:
		fire.State = xxladapter.FireAmbiguous
		w.fires[fireID] = fire
	case transition.RemoveFire:
		delete(w.fires, fireID)
	}
	if c.Log.Columns != transition.NoColumns {
		l := w.runs[logID]
		if c.Log.Before != l.LogState || c.Log.Columns == transition.TriggerColumns && c.Log.After.HandleCode != l.HandleCode {
			t.Fatalf("log %d is %+v, and changed by %+v", logID, *l, c.Log)
		}
		w.counted[c.Log.Before.Status()]--
		w.counted[c.Log.After.Status()]++
		l.LogState = c.Log.After
	}
	for _, f := range c.Next {
		if f.Type == xxladapter.TriggerRetry {
			w.runs[logID].retries++
		} else {
			w.runs[logID].children++
		}
		w.addFire(f)
	}
}

// promises checks what holds at every commit.
func (w *world) promises(t *rapid.T) {
	logs := map[int64]int64{}
	for id, f := range w.fires {
		switch f.State {
		case xxladapter.FirePlanned:
			if f.LogID != 0 || f.Owner != (xxladapter.Term{}) || w.claimed[id] != 0 {
				t.Fatalf("fire %d is planned, and was claimed: %+v", id, f)
			}
		case xxladapter.FireClaimed, xxladapter.FireAmbiguous:
			if w.runs[f.LogID] == nil || logs[f.LogID] != 0 || f.Owner == (xxladapter.Term{}) || f.Claimed.Before(f.Due) {
				t.Fatalf("fire %d has no owner, no log row of its own, or was claimed early: %+v", id, f)
			}
			logs[f.LogID] = id
		default:
			t.Fatalf("fire %d is %q", id, f.State)
		}
	}
	for id, n := range w.claimed {
		if n > 1 {
			t.Fatalf("fire %d was claimed %d times", id, n)
		}
	}
	counted := map[xxladapter.LogStatus]int{}
	for id, l := range w.runs {
		counted[l.Status()]++
		if err := l.check(logs[id] != 0); err != nil {
			t.Fatalf("log %d, %+v: %v", id, *l, err)
		}
	}
	for outcome := range w.counted {
		if w.counted[outcome] != counted[outcome] {
			t.Fatalf("outcome %v is counted %d times, of %d rows", outcome, w.counted[outcome], counted[outcome])
		}
	}
}

// check returns an error that names a broken promise about a run. open says whether the run's fire
// is open.
func (l *run) check(open bool) error {
	// A run has failed if its result says so, or if it is known that it never began. Then it has
	// exactly one retry, planned with whichever of the two was stored first.
	failed := !open && l.HandleCode == xxladapter.ResultNone && xxladapter.HandOverFailed(l.TriggerCode) ||
		l.HandleCode != xxladapter.ResultNone && l.HandleCode != xxladapter.ResultOK
	switch {
	case l.HandleCode != l.result:
		return fmt.Errorf("the first result was %d", l.result)
	case l.HandleCode != xxladapter.ResultNone && l.TriggerCode == xxladapter.ResultNone:
		return fmt.Errorf("there is a result of what was never sent")
	case l.HandleCode != xxladapter.ResultNone && open:
		return fmt.Errorf("there is a result, and it may be sent again")
	case failed && l.retries != 1, l.retries > 1:
		return fmt.Errorf("it has %d retries", l.retries)
	case (l.HandleCode == xxladapter.ResultOK) != (l.children == 1), l.children > 1:
		return fmt.Errorf("it has %d child runs", l.children)
	case !open && l.TriggerCode == xxladapter.ResultNone && !l.dropped:
		return fmt.Errorf("nobody will know its outcome")
	}
	return nil
}

// bringToEnd lets one node send, settle and finish all open fires. It fails if a fire stays open,
// except for those that follow from these runs.
func (w *world) bringToEnd(t *rapid.T) {
	for _, term := range w.terms {
		w.holds[term] = false
	}
	w.newTerm("n3")
	mine := w.terms[len(w.terms)-1]
	for _, id := range slices.Sorted(maps.Keys(w.fires)) {
		w.now = w.now.Add(3 * time.Second) // all are due
		if fire := w.fires[id]; fire.State == xxladapter.FirePlanned {
			w.claimAs(t, mine, id, 1)
		} else {
			w.takeFireAs(t, mine, id, fire.Owner)
		}
		logID := w.fires[id].LogID
		w.settleAs(t, mine, id, logID, true, 0)
		if w.fires[id].State != xxladapter.FireAmbiguous {
			t.Fatalf("fire %d cannot be sent: %+v", id, w.fires[id])
		}
		w.settleAs(t, mine, id, logID, false, 200)
		w.finishAs(t, logID, 200)
	}
	for id, f := range w.fires {
		if f.State != xxladapter.FirePlanned { // planned ones follow from these runs
			t.Fatalf("fire %d is open still: %+v", id, f)
		}
	}
}
