package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/figures"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A purgeNote records what it was asked to delete.
type purgeNote struct {
	what xxladapter.LogPurge
	done bool
}

func (p *purgeNote) Purge(_ context.Context, what xxladapter.LogPurge, limit time.Duration) (int64, bool, error) {
	if limit <= 0 || limit > 20*time.Second {
		panic("a caller waits 30 seconds")
	}
	p.what = what
	return 7, p.done, nil
}

func TestClearingTheLog(t *testing.T) {
	note := new(purgeNote)
	s := siteWith(t, func(o *Options) { o.Purger = note })
	for _, c := range []struct {
		body   string
		status int
		want   string // message or answer
		what   xxladapter.LogPurge
	}{
		{`{}`, 400, "neither before nor keepNewest is given, all must be true to delete every run", xxladapter.LogPurge{}},
		{`{"jobId":3}`, 400, "neither before nor keepNewest is given", xxladapter.LogPurge{}},
		{`{"all":true,"keepNewest":3}`, 400, "all is true, must not be together with before or keepNewest", xxladapter.LogPurge{}},
		{`{"keepNewest":-1}`, 400, "keepNewest is -1, must not be negative", xxladapter.LogPurge{}},
		{`{"older":3}`, 400, "older", xxladapter.LogPurge{}},
		{`{"all":true}`, 200, `{"deleted":7,"done":false}`, xxladapter.LogPurge{}},
		{`{"jobId":3,"keepNewest":1000}`, 200, `{"deleted":7,"done":false}`, xxladapter.LogPurge{JobID: 3, KeepNewest: 1000}},
		{`{"jobGroup":2,"before":"2026-03-01T00:00:00Z"}`, 200, `{"deleted":7,"done":true}`,
			xxladapter.LogPurge{GroupID: 2, Before: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}},
	} {
		note.what, note.done = xxladapter.LogPurge{}, c.what.GroupID != 0
		status, body := s.do("POST", "/api/v1/runs/clear", testToken, c.body)
		require.Equal(t, c.status, status, body)
		require.Contains(t, body, c.want)
		require.Equal(t, c.what, note.what, c.body)
	}
	status, _ := s.do("POST", "/api/v1/runs/clear", "wrong", `{"all":true}`)
	require.Equal(t, 401, status)
}

// A dry run counts what the same form would select, and deletes nothing.
func TestClearingTheLogIsCountedFirst(t *testing.T) {
	note := new(purgeNote)
	s := siteWith(t, func(o *Options) { o.Purger = note })
	one, two := s.createJob(""), s.createJob("")
	for range 5 {
		s.run(one, 200)
	}
	s.run(two, 500)
	for body, want := range map[string]string{
		`"all":true`:       `{"deleted":0,"done":true,"selected":6}`,
		`"keepNewest":2`:   `{"deleted":0,"done":true,"selected":4}`,
		`"keepNewest":100`: `{"deleted":0,"done":true,"selected":0}`,
		fmt.Sprintf(`"all":true,"jobId":%d`, one):        `{"deleted":0,"done":true,"selected":5}`,
		fmt.Sprintf(`"keepNewest":3,"jobId":%d`, one):    `{"deleted":0,"done":true,"selected":2}`,
		`"all":true,"jobGroup":4711`:                     `{"deleted":0,"done":true,"selected":0}`,
		`"before":"2000-01-01T00:00:00Z"`:                `{"deleted":0,"done":true,"selected":0}`,
		`"before":"2100-01-01T00:00:00Z"`:                `{"deleted":0,"done":true,"selected":6}`,
		`"before":"2100-01-01T00:00:00Z","keepNewest":5`: `{"deleted":0,"done":true,"selected":1}`,
	} {
		status, answer := s.do("POST", "/api/v1/runs/clear", testToken, `{"dryRun":true,`+body+`}`)
		require.Equal(t, 200, status, answer)
		require.Equal(t, want, answer, body)
	}
	require.Equal(t, xxladapter.LogPurge{}, note.what, "nothing is deleted")
	status, answer := s.do("POST", "/api/v1/runs/clear", testToken, `{"dryRun":true}`)
	require.Equal(t, 400, status, answer)
}

// A cutOffStore reaches the limit of rows to read when it counts all runs of a group, and not when
// it counts those of a time.
type cutOffStore struct{ *memstore.Store }

func (s cutOffStore) CountRuns(_ context.Context, f xxladapter.RunFilter, _ int) (int, bool, error) {
	if f.Before.IsZero() {
		return 5, true, nil
	}
	return 3, false, nil
}

// TestACountThatWasCutOffIsNotExact checks that the answer sets more only if the count of all runs,
// which was cut off, is the smaller of the two counts.
func TestACountThatWasCutOffIsNotExact(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.Store, o.Purger = cutOffStore{o.Store.(*memstore.Store)}, new(purgeNote) })
	for keep, want := range map[int]string{
		4: `{"deleted":0,"done":true,"selected":1,"more":true}`,
		2: `{"deleted":0,"done":true,"selected":3}`,
		1: `{"deleted":0,"done":true,"selected":3}`,
	} {
		body := fmt.Sprintf(`{"dryRun":true,"jobGroup":1,"before":"2100-01-01T00:00:00Z","keepNewest":%d}`, keep)
		status, answer := s.do("POST", "/api/v1/runs/clear", testToken, body)
		require.Equal(t, 200, status, answer)
		require.Equal(t, want, answer, keep)
	}
}

func TestReportsOfDays(t *testing.T) {
	s := newSite(t)
	id := s.createJob("")
	s.run(id, 200)
	s.run(id, 500)
	const yesterday, today = "2025-12-31", "2026-01-01"
	get := func(query string) (list figures.ReportList) {
		status, body := s.do("GET", "/api/v1/reports"+query, testToken, "")
		require.Equal(t, 200, status, body)
		require.NoError(t, json.Unmarshal([]byte(body), &list))
		return list
	}
	want := []figures.ReportForm{{Day: today, Running: 1, Failed: 1}}
	for _, query := range []string{
		"", "?from=" + today, "?to=" + today, "?from=" + yesterday + "&to=" + today, "?from=1970-01-01", "?to=9999-12-31",
	} {
		require.Equal(t, want, get(query).Reports, query)
	}
	for _, query := range []string{"?to=" + yesterday, "?to=1970-01-01", "?from=2999-01-01", "?from=9999-12-31"} {
		require.Empty(t, get(query).Reports, query)
	}
	for query, message := range map[string]string{
		"from=today":       `from is \"today\", must be a day such as 2026-03-01`,
		"from=10000-01-01": `from is \"10000-01-01\", must be a day such as 2026-03-01`,
		"from=0001-01-01":  "from is in the year 1, must be 1970 to 9999",
		"to=0001-01-01":    "to is in the year 1, must be 1970 to 9999",
		"to=0000-12-31":    "to is in the year 0, must be 1970 to 9999",
		"to=1969-12-31":    "to is in the year 1969, must be 1970 to 9999",
	} {
		status, body := s.do("GET", "/api/v1/reports?"+query, testToken, "")
		require.Equal(t, 400, status, query)
		require.Contains(t, body, message, query)
	}
}
