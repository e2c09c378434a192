package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestABackfillIsAskedForFollowedAndCancelled(t *testing.T) {
	begun := 0
	s := siteWith(t, func(o *Options) { o.Zone, o.Backfilling = time.UTC, func() { begun++ } })
	s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	s.createJob(`,"scheduleType":"FIX_RATE","scheduleConf":"3600"`)
	s.createJob("")
	call := func(want int, method, path, body string, answer any) string {
		t.Helper()
		status, text := s.do(method, "/api/v1/"+path, testToken, body)
		require.Equal(t, want, status, text)
		if answer != nil {
			require.NoError(t, json.Unmarshal([]byte(text), answer))
		}
		return text
	}
	const march = `"from":"2026-03-01T02:00:00Z","to":"2026-03-04T02:00:00Z"`
	var is backfillStarted
	call(200, "POST", "jobs/1/backfill", `{`+march+`,"newest":true,"dryRun":true}`, &is)
	day := func(d int) time.Time { return time.Date(2026, 3, d, 2, 0, 0, 0, time.UTC) }
	require.Equal(t, []time.Time{day(3), day(2), day(1)}, is.Dues)
	require.Zero(t, is.ID)
	call(200, "POST", "jobs/2/backfill", `{"from":"2026-03-01T02:30:00Z","to":"2026-03-01T05:30:00Z","dryRun":true}`, &is)
	require.Equal(t, 3, is.Total)
	require.Equal(t, day(1).Add(30*time.Minute), *is.First)
	require.Zero(t, begun)
	require.Contains(t, call(200, "GET", "backfills", "", nil), `"backfills":[]`)

	call(200, "POST", "jobs/1/backfill", `{`+march+`,"parallel":2,"executorParam":"again"}`, &is)
	require.Equal(t, int64(1), is.ID)
	require.Equal(t, 1, begun)
	call(409, "POST", "jobs/1/backfill", `{`+march+`}`, nil)
	b, err := s.store.Backfill(t.Context(), 1)
	require.NoError(t, err)
	planned, err := s.store.AdvanceBackfill(t.Context(), b)
	require.NoError(t, err)
	require.Len(t, planned, 2)
	require.Equal(t, day(1), planned[0].Due)
	require.Equal(t, "again", *planned[0].Param)
	var shown backfillForm
	call(200, "GET", "backfills/1", "", &shown)
	require.Equal(t, 3, shown.Total)
	require.Equal(t, 2, shown.Planned)
	require.Equal(t, day(2), shown.Open[1].Due)
	require.Contains(t, call(200, "GET", fmt.Sprint("orders/", shown.Open[1].Order), "", nil), `"state":"PLANNED"`)
	call(200, "POST", "backfills/1/cancel", "", nil)
	call(409, "POST", "backfills/1/cancel", "", nil)
	call(200, "GET", "backfills/1", "", &shown)
	require.Equal(t, xxladapter.BackfillCancelled, shown.State)
	open, err := s.store.OpenFires(t.Context(), xxladapter.FireFilter{})
	require.NoError(t, err)
	require.Empty(t, open)

	call(200, "POST", "jobs/1/backfill", `{`+march+`}`, nil)
	var list backfillList
	call(200, "GET", "backfills?job=1&limit=1", "", &list)
	require.Equal(t, int64(2), list.Backfills[0].ID)
	call(200, "GET", fmt.Sprintf("backfills?limit=1&after=%d", list.Next), "", &list)
	require.Equal(t, int64(1), list.Backfills[0].ID)
	call(200, "GET", "backfills?state=RUNNING&job=2", "", &list)
	require.Empty(t, list.Backfills)
	for path, want := range map[string]int{
		"backfills/9": 404, "backfills?state=SOON": 400, "backfills?group=1": 400,
	} {
		call(want, "GET", path, "", nil)
	}

	for body, message := range map[string]string{
		`{}`: "from is 0001-01-01T00:00:00Z, must be after 1970",
		`{"from":"2026-03-01","to":"2026-03-02T00:00:00Z"}`:                    "from is",
		`{"from":"2026-03-02T00:00:00Z","to":"2026-03-02T00:00:00Z"}`:          "must be after from",
		`{"from":"2026-03-02T00:00:00Z","to":"9026-03-02T00:00:00Z"}`:          "must not be after now",
		`{"from":"1960-03-02T00:00:00Z","to":"2026-03-02T00:00:00Z"}`:          "must be after 1970",
		`{` + march + `,"parallel":101}`:                                       "parallel is 101, must be 1 to 100",
		`{` + march + `,"parallel":-1}`:                                        "parallel is -1",
		`{` + march + `,"parallel":"2"}`:                                       "parallel is a JSON string, must be an integer",
		`{` + march + `,"limit":2}`:                                            `unknown field \"limit\"`,
		`{` + march + `,"executorParam":"` + strings.Repeat("x", 65536) + `"}`: "executorParam has 65536 bytes",
		`{"from":"2026-03-01T03:00:00Z","to":"2026-03-01T04:00:00Z"}`:          "must have at least one",
		`{"from":"1971-03-01T03:00:00Z","to":"2026-03-01T04:00:00Z"}`:          "have more than 10000 due times",
	} {
		require.Contains(t, call(400, "POST", "jobs/1/backfill", body, nil), message, body)
	}
	require.Contains(t, call(400, "POST", "jobs/3/backfill", `{`+march+`}`, nil), "scheduleType is NONE, must be CRON or FIX_RATE")
	call(404, "POST", "jobs/9/backfill", `{`+march+`}`, nil)
	status, _ := s.do("POST", "/api/v1/jobs/1/backfill", "wrong", `{}`)
	require.Equal(t, http.StatusUnauthorized, status)
}
