package fromxxljob

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

func TestStrict(t *testing.T) {
	for expr, want := range map[string]string{
		"0 0 2 ? * MONDAY":     "0 0 2 ? * MON",
		"0 0 2 ? * MON;TUE":    "0 0 2 ? * MON",
		"1,,3 * * * * ?":       "1,3 * * * * ?",
		"5x * * * * ?":         "5 * * * * ?",
		"*/0 * * * * ?":        "* * * * * ?",
		"0 0 0 5C * ?":         "0 0 0 5 * ?",
		"0 0 0 ? * 2#1,3":      "0 0 0 ? * MON#1",
		"0 0 0 1 1 ? L":        "", // never fires, and no strict expression does that
		"0 0 2 * * *":          "",
		"nonsense":             "",
		"0 0 12 ? * MON-FRI/2": "0 0 12 ? * MON-FRI",
	} {
		require.Equal(t, want, Strict(expr), expr)
	}
}

// TestCompareKeepsRowsApart checks the plans for an ordinary database: for an empty store, and for
// one that has taken it before.
func TestCompareKeepsRowsApart(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	rows := func() *Database {
		return &Database{
			Groups: []*xxladapter.Group{{ID: 1, AppName: "some-app", Title: "t"}},
			Jobs:   []*xxladapter.Job{{ID: 5, GroupID: 1, Name: "n", Author: "a", Handler: "h", Running: true, ChildIDs: []int64{5, 6}}},
			ReadAt: now, WrittenAt: now.Add(-Quiet),
		}
	}
	p, err := Compare(rows(), &Target{}, Options{From: "db", Now: now})
	require.NoError(t, err)
	require.Equal(t, []Job{{From: 5, ID: 5, Name: "n", On: true, New: true}}, p.Report.Taken, "a job without a schedule cannot be started")
	require.False(t, p.Jobs[0].Running)
	require.Empty(t, p.Jobs[0].ChildIDs)
	require.False(t, p.Report.Served)
	require.Equal(t, now, p.Jobs[0].Added)

	taken := &Target{
		GroupsByApp: map[string]int64{"some-app": 3}, GroupIDs: map[int64]bool{3: true}, JobIDs: map[int64]bool{8: true},
		Taken: map[Kind]map[int64]int64{KindGroup: {1: 3}, KindJob: {5: 8}},
	}
	p, err = Compare(rows(), taken, Options{From: "db", Now: now})
	require.NoError(t, err)
	require.Empty(t, p.Jobs)
	require.Equal(t, []Job{{From: 5, ID: 8, Name: "n", On: true}}, p.Report.Taken)
	taken.Schedules = map[int64]Schedule{8: {xxladapter.ScheduleCron, "0 0 2 * * ?"}}
	p, err = Compare(rows(), taken, Options{From: "db", Now: now})
	require.NoError(t, err)
	require.Equal(t, []Job{{From: 5, ID: 8, Name: "n", On: true, Starts: true}}, p.Report.Taken, "the store's schedule counts")

	_, err = Compare(rows(), &Target{Others: []string{"other"}}, Options{From: "db", Now: now})
	require.EqualError(t, err, "jobs were taken from other before: if this is the same database under another name, give that name (xxlwheel takeover --source), and if it is another database, give db")
	_, err = Compare(rows(), &Target{Others: []string{"other"}}, Options{From: "db", Now: now, Sure: true})
	require.NoError(t, err)
}

// TestANewJobHasNoChildThatTheStoreHasDeleted checks a second takeover, of a job that is new and
// whose children were taken before.
func TestANewJobHasNoChildThatTheStoreHasDeleted(t *testing.T) {
	job := func(id int64, children ...int64) *xxladapter.Job {
		return &xxladapter.Job{ID: id, GroupID: 1, Name: "n", Author: "a", Handler: "h", ChildIDs: children}
	}
	db := &Database{
		Groups: []*xxladapter.Group{{ID: 1, AppName: "some-app", Title: "t"}},
		Jobs:   []*xxladapter.Job{job(5), job(6), job(7, 5, 6)},
	}
	p, err := Compare(db, &Target{
		GroupsByApp: map[string]int64{"some-app": 3}, GroupIDs: map[int64]bool{3: true}, JobIDs: map[int64]bool{8: true},
		Taken: map[Kind]map[int64]int64{KindGroup: {1: 3}, KindJob: {5: 8, 6: 9}},
	}, Options{From: "db", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	require.Len(t, p.Jobs, 1)
	require.Equal(t, []int64{5}, p.Jobs[0].ChildIDs)
	require.Len(t, p.Report.Notes, 1)
	require.Equal(t, Changed, p.Report.Notes[0].What)
}

// TestCyclesOfChildrenAreTakenWithANote checks that each cycle has one note, which names its jobs.
func TestCyclesOfChildrenAreTakenWithANote(t *testing.T) {
	job := func(id int64, name string, children ...int64) *xxladapter.Job {
		return &xxladapter.Job{ID: id, GroupID: 1, Name: name, Author: "a", Handler: "h", ChildIDs: children}
	}
	p, err := Compare(&Database{
		Groups: []*xxladapter.Group{{ID: 1, AppName: "some-app", Title: "t"}},
		Jobs: []*xxladapter.Job{
			job(4, "into the cycle", 5), job(5, "first", 6), job(6, "second", 7, 8), job(7, "third", 5),
			job(8, "out of it"), job(9, "other", 10), job(10, "back", 9),
		},
	}, &Target{}, Options{From: "db", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	require.NoError(t, err)
	require.Equal(t, []int64{7, 8}, p.Jobs[2].ChildIDs)
	for i := range p.Report.Notes {
		p.Report.Notes[i].Said = nil
	}
	const rest = " trigger each other without end: XXL-JOB allows that, and here edits of them are refused until the cycle is broken"
	require.Equal(t, []Note{
		{What: Advice, Kind: "job", ID: 5, Name: "first", Text: "jobs [5 6 7]" + rest},
		{What: Advice, Kind: "job", ID: 9, Name: "other", Text: "jobs [9 10]" + rest},
	}, p.Report.Notes)
}

// TestAGroupThatWasRemovedStaysSoForAJobThatIsLeft checks that a job that cannot be taken brings no
// group back.
func TestAGroupThatWasRemovedStaysSoForAJobThatIsLeft(t *testing.T) {
	removed := &Target{
		GroupsByApp: map[string]int64{"other-app": 4}, GroupIDs: map[int64]bool{4: true},
		Taken: map[Kind]map[int64]int64{KindGroup: {1: 3}, KindJob: {5: 8}},
	}
	for handler, taken := range map[string]int{"": 0, "h": 1} {
		p, err := Compare(&Database{
			Groups: []*xxladapter.Group{{ID: 1, AppName: "some-app", Title: "t"}},
			Jobs: []*xxladapter.Job{
				{ID: 5, GroupID: 1, Name: "n", Author: "a", Handler: "h"}, {ID: 6, GroupID: 1, Name: "n", Author: "a", Handler: handler},
			},
		}, removed, Options{From: "db", Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
		require.NoError(t, err)
		require.Equal(t, Count{Taken: taken, Before: 1, Left: 1 - taken}, p.Report.Jobs)
		require.Len(t, p.Groups, taken, "handler %q", handler)
		require.Len(t, p.Report.Notes, 1-taken)
	}
}

// TestCompareLeavesDaysThatStillChange checks that figures which an admin still counts are taken
// only when it has stopped.
func TestCompareLeavesDaysThatStillChange(t *testing.T) {
	// In UTC it is still February.
	now := time.Date(2026, 3, 1, 1, 0, 0, 0, time.FixedZone("", 8*3600))
	db := &Database{ReadAt: now, WrittenAt: now.Add(-time.Second)}
	for _, day := range []string{"2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01"} {
		db.Days = append(db.Days, xxladapter.DailyReport{Day: day, Success: 1})
	}
	p, err := Compare(db, &Target{}, Options{From: "db", Now: now})
	require.NoError(t, err)
	require.Equal(t, db.Days[:1], p.Days)
	require.Equal(t, Count{Taken: 1, Left: 3}, p.Report.Days)
	require.Len(t, p.Report.Notes, 1)
	note := p.Report.Notes[0]
	require.Equal(t, "day", note.Kind)
	require.NotNil(t, note.Said)
	require.Equal(t, errorrule.TakeoverDaysLeft, note.Said.Rule)
	require.Equal(t, "XXL-JOB still counts the figures of 3 days: a takeover after it has stopped takes them", note.Text)

	db.WrittenAt = now.Add(-Quiet)
	p, err = Compare(db, &Target{Days: map[string]bool{"2026-02-26": true}}, Options{From: "db", Now: now})
	require.NoError(t, err)
	require.Equal(t, db.Days[1:], p.Days)
	require.Equal(t, Count{Taken: 3, Before: 1}, p.Report.Days)
	require.Empty(t, p.Report.Notes)
}
