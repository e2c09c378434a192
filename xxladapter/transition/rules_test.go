package transition_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/transition"
)

var (
	due    = time.Date(2026, 3, 1, 12, 0, 0, 250e6, time.UTC)
	mine   = xxladapter.Term{Node: "n1", Number: 7}
	theirs = xxladapter.Term{Node: "n2", Number: 6}
	before = xxladapter.Term{Node: "n1", Number: 5} // an earlier term of n1, which is over
)

// fireIn returns fire 3 in a state, owned by a term unless it is planned; nil for the empty state.
func fireIn(state xxladapter.FireState, owner xxladapter.Term) *xxladapter.Fire {
	if state == "" {
		return nil
	}
	f := &xxladapter.Fire{ID: 3, JobID: 2, Due: due, Type: xxladapter.TriggerCron, State: state, RetryCount: -1}
	if state != xxladapter.FirePlanned {
		f.Owner, f.LogID, f.Claimed, f.ShardTotal = owner, 4, due, 1
	}
	return f
}

// refusal names the kind of an error; "" for none.
func refusal(err error) string {
	for name, kind := range map[string]error{
		"fenced": xxladapter.ErrFenced, "conflict": xxladapter.ErrConflict, "early": xxladapter.ErrEarly, "not found": xxladapter.ErrNotFound,
	} {
		if errors.Is(err, kind) {
			return name
		}
	}
	if err != nil {
		return "misuse"
	}
	return ""
}

func TestClaim(t *testing.T) {
	const planned, claimed, ambiguous = xxladapter.FirePlanned, xxladapter.FireClaimed, xxladapter.FireAmbiguous
	for _, tt := range []struct {
		holds  bool
		state  xxladapter.FireState
		late   time.Duration // how far the store's clock is past the due time
		shards int           // of the fire
		logs   int
		want   string
	}{
		// Who, and what.
		{true, planned, 0, 0, 1, ""},
		{false, planned, 0, 0, 1, "fenced"},
		{true, "", 0, 0, 1, "conflict"},
		{true, claimed, 0, 1, 1, "conflict"},
		{true, ambiguous, 0, 1, 1, "conflict"},

		// No fire is claimed before it is due; the clock counts in whole milliseconds.
		{true, planned, -time.Nanosecond, 0, 1, "early"},
		{true, planned, -time.Hour, 0, 3, "early"},
		{true, planned, time.Nanosecond, 0, 1, ""},
		{true, planned, time.Hour, 0, 1, ""},

		// One log row for each shard.
		{true, planned, 0, 0, 3, ""},
		{true, planned, 0, 3, 1, ""},
		{true, planned, 0, 3, 2, "misuse"},
		{true, planned, 0, 0, 0, "misuse"},

		// A term that is over is fenced, whatever else is wrong.
		{false, claimed, -time.Hour, 1, 1, "fenced"},
	} {
		fire := fireIn(tt.state, theirs)
		if fire != nil {
			fire.ShardTotal = tt.shards
		}
		got, err := transition.Claim(transition.Rows{Holds: tt.holds, Fire: fire}, mine, 3, tt.logs, due.Add(tt.late))
		require.Equal(t, tt.want, refusal(err), "%+v: %v", tt, err)
		if tt.want == "" {
			require.Len(t, got, tt.logs)
		} else {
			require.Empty(t, got, "%+v", tt)
		}
	}
}

func TestAClaimedFireIsTheTermsOwn(t *testing.T) {
	param := "p"
	fire := fireIn(xxladapter.FirePlanned, theirs)
	fire.Param, fire.Addresses = &param, []string{"http://a/"}
	now := due.Add(1500*time.Microsecond + 7).In(time.FixedZone("far", 3600))
	claimed, err := transition.Claim(transition.Rows{Holds: true, Fire: fire}, mine, 3, 3, now)
	require.NoError(t, err)
	for i, got := range claimed {
		want := *fire
		want.State, want.Owner, want.Claimed = xxladapter.FireClaimed, mine, due.Add(time.Millisecond)
		want.ShardIndex, want.ShardTotal = i, 3
		if i > 0 {
			want.ID = 0 // a new row
		}
		require.Equal(t, want, got)
	}
	*claimed[1].Param, claimed[1].Addresses[0] = "changed", "changed"
	require.Equal(t, "p", *fire.Param, "nothing is shared")
	require.Equal(t, "p", *claimed[0].Param)
	require.Equal(t, "http://a/", fire.Addresses[0])
	require.Equal(t, xxladapter.FirePlanned, fire.State, "the argument is left alone")

	fire.ShardIndex, fire.ShardTotal = 2, 5
	claimed, err = transition.Claim(transition.Rows{Holds: true, Fire: fire}, mine, 3, 1, now)
	require.NoError(t, err)
	require.Equal(t, []int{2, 5}, []int{claimed[0].ShardIndex, claimed[0].ShardTotal}, "the retry of one shard")
}

func TestTakeFire(t *testing.T) {
	for _, tt := range []struct {
		holds       bool
		state       xxladapter.FireState
		owner, from xxladapter.Term
		formerHolds bool
		want        string
	}{
		{true, xxladapter.FireClaimed, theirs, theirs, false, ""},
		{true, xxladapter.FireAmbiguous, theirs, theirs, false, ""},
		{true, xxladapter.FireClaimed, before, before, false, ""},
		{true, xxladapter.FireClaimed, mine, mine, true, ""},
		{true, xxladapter.FireClaimed, theirs, theirs, true, "conflict"},
		{true, xxladapter.FireClaimed, theirs, before, false, "conflict"},
		{true, xxladapter.FireClaimed, mine, theirs, false, "conflict"},
		{true, xxladapter.FirePlanned, xxladapter.Term{}, xxladapter.Term{}, false, "conflict"},
		{true, "", theirs, theirs, false, "conflict"},
		{false, xxladapter.FireClaimed, theirs, theirs, false, "fenced"},
	} {
		err := transition.TakeFire(transition.Rows{Holds: tt.holds, Fire: fireIn(tt.state, tt.owner)}, mine, 3, tt.from, tt.formerHolds)
		require.Equal(t, tt.want, refusal(err), "%+v: %v", tt, err)
	}
}

func TestSettle(t *testing.T) {
	const planned, claimed, ambiguous = xxladapter.FirePlanned, xxladapter.FireClaimed, xxladapter.FireAmbiguous
	const keep, doubt, remove = transition.KeepFire, transition.DoubtFire, transition.RemoveFire
	next := []xxladapter.Fire{{JobID: 2, Type: xxladapter.TriggerRetry}}
	resume := xxladapter.Resume{JobID: 2, Next: due}
	for _, tt := range []struct {
		holds bool
		state xxladapter.FireState
		owner xxladapter.Term
		as    xxladapter.FireState
		fire  transition.FireChange
		want  string
	}{
		// The outcome is certain.
		{true, claimed, mine, "", remove, ""},
		{true, ambiguous, mine, "", remove, ""},
		{true, planned, xxladapter.Term{}, "", remove, ""}, // it has no owner
		{true, "", mine, "", keep, ""},

		// The outcome is unknown.
		{true, claimed, mine, ambiguous, doubt, ""},
		{true, ambiguous, mine, ambiguous, doubt, ""},
		{true, planned, xxladapter.Term{}, ambiguous, keep, "conflict"}, // it was never sent
		{true, "", mine, ambiguous, keep, ""},

		// The fire of another term.
		{true, claimed, theirs, "", keep, "conflict"},
		{true, claimed, before, "", keep, "conflict"},
		{true, ambiguous, theirs, "", keep, "conflict"},
		{true, claimed, theirs, ambiguous, keep, "conflict"},

		{false, claimed, mine, "", keep, "fenced"},
		{false, planned, xxladapter.Term{}, "", keep, "fenced"},
		{false, "", mine, "", keep, "fenced"},
		{true, claimed, mine, planned, keep, "misuse"},
		{true, claimed, mine, claimed, keep, "misuse"},
	} {
		c, err := transition.Settle(transition.Rows{Holds: tt.holds, Fire: fireIn(tt.state, tt.owner), Log: &transition.LogState{}}, mine,
			xxladapter.Settlement{FireID: 3, LogID: 4, State: tt.as, Code: 500, Msg: "m", Next: next, Resume: resume})
		require.Equal(t, tt.want, refusal(err), "%+v: %v", tt, err)
		if tt.want != "" {
			require.Zero(t, c, "%+v", tt)
			continue
		}
		want := transition.Change{Fire: tt.fire, Log: transition.LogChange{
			Columns: transition.TriggerColumns, After: transition.LogState{TriggerCode: 500}, Msg: "m",
		}}
		if tt.fire == remove { // what follows is planned once
			want.Next, want.Resume = []xxladapter.Fire{{JobID: 2, Type: xxladapter.TriggerRetry, Attempt: 2, Parent: 4}}, resume
		}
		if tt.state != "" && tt.state != planned {
			want.Run = transition.RunChange{Kind: transition.RecordRun, History: xxladapter.HistoryOf(*fireIn(tt.state, tt.owner))}
		}
		require.Equal(t, want, c, "%+v", tt)
	}
}

func TestASettlementWritesTheTriggerColumns(t *testing.T) {
	type state = transition.LogState
	for _, tt := range []struct {
		log     *state
		code    int
		columns transition.Columns
		after   state
	}{
		{&state{0, 0}, 200, transition.TriggerColumns, state{200, 0}},
		{&state{0, 0}, 500, transition.TriggerColumns, state{500, 0}},
		{&state{500, 0}, 200, transition.TriggerColumns, state{200, 0}}, // it had begun after all
		{&state{200, 500}, 200, transition.TriggerColumns, state{200, 500}},
		{&state{200, 0}, 200, transition.TriggerColumns, state{200, 0}},
		{&state{200, 0}, 500, transition.NoColumns, state{}}, // an executor has taken it
		{&state{200, 0}, 504, transition.NoColumns, state{}},
		{&state{200, 0}, 0, transition.NoColumns, state{}},
		{nil, 200, transition.NoColumns, state{}}, // the row is gone
	} {
		c, err := transition.Settle(transition.Rows{Holds: true, Log: tt.log}, mine, xxladapter.Settlement{Code: tt.code, Msg: "m\x00"})
		require.NoError(t, err)
		want := transition.LogChange{Columns: tt.columns}
		if tt.columns != transition.NoColumns {
			want.Before, want.After, want.Msg = *tt.log, tt.after, "m\ufffd"
		}
		require.Equal(t, want, c.Log, "%+v", tt)
	}
}

func TestWriteOff(t *testing.T) {
	open := transition.Rows{Log: &transition.LogState{}}
	c := transition.WriteOff(open, 504, "unknown")
	require.Equal(t, transition.Change{Log: transition.LogChange{
		Columns: transition.TriggerColumns, After: transition.LogState{TriggerCode: 504}, Msg: "unknown",
	}}, c)
	for _, r := range []transition.Rows{
		{},
		{Log: &transition.LogState{TriggerCode: 200}},
		{Log: &transition.LogState{HandleCode: 500}},
		{Log: &transition.LogState{}, Fire: fireIn(xxladapter.FireClaimed, theirs)},
	} {
		require.Zero(t, transition.WriteOff(r, 504, "unknown"), "%+v", r)
	}
}

func TestFinish(t *testing.T) {
	type state = transition.LogState
	next := []xxladapter.Fire{{JobID: 2, Type: xxladapter.TriggerRetry}}
	resume := xxladapter.Resume{JobID: 2, Next: due}
	for _, tt := range []struct {
		log     state
		code    int
		after   state // zero means that the result is not applied
		follows bool
	}{
		// The first result is kept. A run that has a result was sent.
		{state{0, 0}, 200, state{200, 200}, true},
		{state{0, 0}, 500, state{200, 500}, true},
		{state{200, 0}, 502, state{200, 502}, true},
		{state{200, 500}, 200, state{}, false},
		{state{200, 200}, 200, state{}, false},

		// If the hand-over has failed, a retry was planned with that failure already.
		{state{500, 0}, 500, state{500, 500}, false},
		{state{502, 0}, 500, state{502, 500}, false},
		{state{500, 0}, 200, state{500, 200}, true},
		{state{xxladapter.ResultUnknown, 0}, 500, state{504, 500}, true},
	} {
		for _, open := range []xxladapter.FireState{"", xxladapter.FireClaimed, xxladapter.FireAmbiguous} {
			c, err := transition.Finish(transition.Rows{Fire: fireIn(open, theirs), Log: &tt.log},
				xxladapter.RunResult{LogID: 4, Code: tt.code, Msg: "m\xff", Next: next, Resume: resume, WantText: true}, due)
			require.NoError(t, err)
			var want transition.Change
			history := xxladapter.RunHistory{LogID: 4}
			if open != "" {
				want.Fire = transition.RemoveFire
				history = xxladapter.HistoryOf(*fireIn(open, theirs))
				want.Run = transition.RunChange{Kind: transition.RecordRun, History: history}
			}
			if tt.after != (state{}) {
				history.Finished = due
				want.Run.History = history
				if open == "" {
					want.Run.Kind = transition.ExtendRun
				}
				want.Log = transition.LogChange{
					Columns: transition.HandleColumns, Before: tt.log, After: tt.after, Msg: "m\ufffd", At: due.Truncate(time.Second),
				}
				want.Resume, want.WantText = resume, true
				if tt.follows {
					want.Next = []xxladapter.Fire{{JobID: 2, Type: xxladapter.TriggerRetry, Attempt: 2, Parent: 4}}
				}
			}
			require.Equal(t, want, c, "%+v %s", tt, open)
		}
	}
	_, err := transition.Finish(transition.Rows{Fire: fireIn(xxladapter.FireClaimed, mine)}, xxladapter.RunResult{LogID: 4, Code: 200}, due)
	require.Equal(t, "not found", refusal(err))
	_, err = transition.Finish(transition.Rows{Log: &state{}}, xxladapter.RunResult{LogID: 4}, due)
	require.Equal(t, "misuse", refusal(err))
}

func TestMessagesFitTheirColumns(t *testing.T) {
	long := strings.Repeat("長", xxladapter.MaxHandleMsg)
	for _, tt := range []struct{ msg, want string }{
		{long, long},
		{long + "x", long},
		{strings.Repeat("x", xxladapter.MaxHandleMsg+1), strings.Repeat("x", xxladapter.MaxHandleMsg)},
		{"", ""},
	} {
		c, err := transition.Finish(transition.Rows{Log: &transition.LogState{}}, xxladapter.RunResult{Code: 200, Msg: tt.msg}, due)
		require.NoError(t, err)
		require.True(t, tt.want == c.Log.Msg, "%d bytes", len(tt.msg))
	}
	c, err := transition.Settle(transition.Rows{Holds: true, Log: &transition.LogState{}}, mine,
		xxladapter.Settlement{Code: 200, Msg: strings.Repeat("x", xxladapter.MaxRowText+1)})
	require.NoError(t, err)
	require.Len(t, c.Log.Msg, xxladapter.MaxRowText)
	require.Contains(t, c.Log.Msg, "bytes in all")
}

func TestAHistoryIsRecordedOnceAndExtended(t *testing.T) {
	sent, answered := due.Add(1500*time.Microsecond).In(time.FixedZone("far", 3600)), due.Add(9*time.Millisecond)
	settle := xxladapter.Settlement{FireID: 3, LogID: 4, Code: 200, Sent: sent, Acknowledged: answered}
	for _, tt := range []struct {
		name string
		fire *xxladapter.Fire
		log  *transition.LogState
		add  func(*xxladapter.Settlement)
		want transition.RunChangeKind
	}{
		{"claimed", fireIn(xxladapter.FireClaimed, mine), &transition.LogState{}, nil, transition.RecordRun},
		{"ambiguous", fireIn(xxladapter.FireAmbiguous, mine), &transition.LogState{}, nil, transition.RecordRun},
		{"without instants", fireIn(xxladapter.FireClaimed, mine), &transition.LogState{},
			func(s *xxladapter.Settlement) { s.Sent, s.Acknowledged = time.Time{}, time.Time{} }, transition.RecordRun},
		{"a result was first", nil, &transition.LogState{TriggerCode: 200, HandleCode: 200}, nil, transition.ExtendRun},
		{"nothing to add", nil, &transition.LogState{}, func(s *xxladapter.Settlement) { s.Sent, s.Acknowledged = time.Time{}, time.Time{} }, transition.KeepRun},
		{"the log row is gone", fireIn(xxladapter.FireClaimed, mine), nil, nil, transition.KeepRun},
		{"never claimed", fireIn(xxladapter.FirePlanned, mine), nil, nil, transition.KeepRun},
	} {
		s := settle
		if tt.add != nil {
			tt.add(&s)
		}
		c, err := transition.Settle(transition.Rows{Holds: true, Fire: tt.fire, Log: tt.log}, mine, s)
		require.NoError(t, err, tt.name)
		require.Equal(t, tt.want, c.Run.Kind, tt.name)
		if tt.want != transition.KeepRun && !s.Sent.IsZero() {
			require.Equal(t, due.Add(time.Millisecond), c.Run.History.Sent, "whole milliseconds, in UTC")
			require.Equal(t, answered, c.Run.History.Acknowledged)
		}
		if tt.want == transition.RecordRun {
			require.Equal(t, due, c.Run.History.Due)
			require.Equal(t, mine, c.Run.History.Owner)
		}
	}
	require.Nil(t, transition.RunChange{Kind: transition.ExtendRun}.Add(nil), "there is nothing to extend")
}

func TestWhatFollowsCountsItsAttempts(t *testing.T) {
	next := []xxladapter.Fire{{JobID: 2, Type: xxladapter.TriggerRetry}, {JobID: 9, Type: xxladapter.TriggerParent}}
	for _, tt := range []struct{ fire, run, want int }{{0, 0, 2}, {1, 0, 2}, {3, 7, 4}, {-1, 4, 5}, {-1, 0, 2}} {
		rows := transition.Rows{Log: &transition.LogState{}, Attempt: tt.run}
		if tt.fire >= 0 {
			rows.Fire = fireIn(xxladapter.FireClaimed, mine)
			rows.Fire.Attempt = tt.fire
		}
		c, err := transition.Finish(rows, xxladapter.RunResult{LogID: 4, Code: 500, Next: next}, due)
		require.NoError(t, err)
		require.Equal(t, []int{tt.want, 0}, []int{c.Next[0].Attempt, c.Next[1].Attempt}, "%+v", tt)
		require.Equal(t, []int64{4, 4}, []int64{c.Next[0].Parent, c.Next[1].Parent})
	}
	require.Zero(t, next[0].Attempt, "the argument is left alone")
}

func TestATakenFireIsRecorded(t *testing.T) {
	fire := fireIn(xxladapter.FireClaimed, theirs)
	c := transition.TakenOver(*fire, mine, due.Add(4*time.Second+7))
	want := xxladapter.HistoryOf(*fire)
	want.TakenBy, want.TakenOver = "n1", due.Add(4*time.Second)
	require.Equal(t, transition.RunChange{Kind: transition.RecordRun, History: want}, c)
	require.Zero(t, transition.TakenOver(*fire, theirs, due), "its owner takes nothing over")

	before := want
	before.Sent, before.TakenBy = due, "n9"
	require.Equal(t, &xxladapter.RunHistory{
		LogID: 4, Due: due, Type: xxladapter.TriggerCron, Attempt: 1, ShardTotal: 1, Owner: theirs, Claimed: due,
		TakenBy: "n1", TakenOver: due.Add(4 * time.Second), Sent: due,
	}, c.Add(&before), "the last take-over and every instant that is known")
}
