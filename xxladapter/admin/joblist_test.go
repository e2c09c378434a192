package admin

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// jobPages returns the jobs of all pages of a list, by the cursors that the call itself returns.
func (s *site) jobPages(query string) (ids []int64) {
	for after := ""; ; {
		var page jobList
		s.get("/api/v1/jobs?"+query+after, &page)
		for _, j := range page.Jobs {
			ids = append(ids, j.ID)
		}
		if page.Next == 0 {
			return ids
		}
		after = fmt.Sprintf("&after=%d&afterKey=%s", page.Next, page.NextKey)
	}
}

// TestJobListsAreSortedSelectedAndCounted goes through the pages of a sorted list.
func TestJobListsAreSortedSelectedAndCounted(t *testing.T) {
	s := newSite(t)
	group, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app"})
	require.NoError(t, err)
	for i, name := range []string{"c", "a", "b", "a", "d"} {
		_, err := xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{
			GroupID: group, Name: name, Author: fmt.Sprint("author ", i), Param: "p", GlueSource: "source",
			ScheduleType: []xxladapter.ScheduleType{xxladapter.ScheduleCron, xxladapter.ScheduleNone}[i%2],
		})

		require.NoError(t, err)
	}
	require.Equal(t, []int64{1, 2, 3, 4, 5}, s.jobPages("limit=2"))
	require.Equal(t, []int64{5, 4, 3, 2, 1}, s.jobPages("limit=2&desc"))
	require.Equal(t, []int64{2, 4, 3, 1, 5}, s.jobPages("limit=2&sort=NAME"))
	require.Equal(t, []int64{5, 1, 3, 4, 2}, s.jobPages("limit=1&sort=NAME&desc"))
	require.Equal(t, []int64{1, 3, 5, 2, 4}, s.jobPages("limit=1&sort=TYPE"))
	require.Equal(t, []int64{4}, s.jobPages("author=author%203"))
	require.Equal(t, []int64{4, 2}, s.jobPages("type=NONE&desc&sort=UPDATED"))

	var page jobList
	s.get("/api/v1/jobs?count&limit=1&type=CRON&light", &page)
	require.Equal(t, 3, *page.Count)
	require.False(t, page.More)
	require.Nil(t, page.Jobs[0].ExecutorParam)
	require.Nil(t, page.Jobs[0].GlueSource)
	require.Equal(t, "c", *page.Jobs[0].Name)
	require.Equal(t, api.Counted{Count: new(10_000), More: true}, api.CountTo(api.MaxCount+1))
	require.Equal(t, api.Counted{Count: new(10_000), More: false}, api.CountTo(10_000))
	require.Equal(t, api.Counted{Count: new(9_999), More: false}, api.CountTo(9_999))
}

// A list of jobs is sorted by their last results, page by page.
func TestJobListsAreSortedByResult(t *testing.T) {
	s := newSite(t)
	var jobs []int64
	for _, code := range []int{0, 200, 500, 200, 0, 500} {
		id := s.createJob("")
		if jobs = append(jobs, id); code == 0 {
			continue
		}
		_, _, err := s.store.FinishRun(t.Context(), xxladapter.RunResult{LogID: s.run(id, 200), Code: code})
		require.NoError(t, err)
	}
	for limit := range 7 {
		limited := fmt.Sprint("limit=", limit+1)
		require.Equal(t, []int64{jobs[2], jobs[5], jobs[1], jobs[3], jobs[0], jobs[4]}, s.jobPages("sort=RESULT&"+limited))
		require.Equal(t, []int64{jobs[4], jobs[0], jobs[3], jobs[1], jobs[5], jobs[2]}, s.jobPages("sort=RESULT&desc&"+limited))
	}
}

// A list of jobs shows the newest runs of each, the newest first.
func TestJobListsShowRecentRuns(t *testing.T) {
	s := newSite(t)
	one, idle, two := s.createJob(""), s.createJob(""), s.createJob("")
	for i := range 25 {
		s.run(one, []int{200, 500}[i%2])
	}
	s.run(two, 200)
	var page jobList
	s.get("/api/v1/jobs?recent&desc", &page)
	require.Len(t, page.Jobs, 3)
	require.Len(t, page.Recent, 2, "job %d has not run", idle)
	require.Equal(t, []int64{two, one}, []int64{page.Recent[0].ID, page.Recent[1].ID})
	runs := page.Recent[1].Runs
	require.Len(t, runs, 20)
	for i := 1; i < len(runs); i++ {
		require.Less(t, runs[i].LogID, runs[i-1].LogID)
	}
	s.get("/api/v1/jobs", &page)
	var without jobList
	s.get("/api/v1/jobs?limit=1", &without)
	require.Nil(t, without.Recent)
}

// A list of jobs describes the schedule of each in both languages; a schedule that cannot be read,
// as another program may have written, has no words and hides no other.
func TestJobListsSayTheSchedulesInWords(t *testing.T) {
	s := newSite(t)
	daily := s.createJob(`,"scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"`)
	group, err := s.store.Groups(t.Context())
	require.NoError(t, err)
	_, err = xxladapter.CreateJob(t.Context(), s.store, &xxladapter.Job{GroupID: group[0].ID, Name: "n", Author: "a", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "at two"})
	require.NoError(t, err)
	often := s.createJob(`,"scheduleType":"FIX_RATE","scheduleConf":"30"`)
	var page jobList
	s.get("/api/v1/jobs?words&desc", &page)
	require.Len(t, page.Jobs, 3)
	require.Equal(t, []jobWords{{often, words{"every 30 seconds", "每30秒"}}, {daily, words{"at 02:00, every day", "每天，02:00"}}}, page.Words)
	var without jobList
	s.get("/api/v1/jobs", &without)
	require.Nil(t, without.Words)
}

func TestJobListsRefuseWhatTheyDoNotKnow(t *testing.T) {
	s := newSite(t)
	for query, message := range map[string]string{
		"sort=name":                                  `sort is "name", must be one of ID, NAME`,
		"type=DAILY":                                 `type is "DAILY", must be one of NONE, CRON`,
		"sort=NEXT&after=1&afterKey=x":               `afterKey is "x", must be nextKey of the previous page`,
		"sort=RESULT&after=1&afterKey=3":             `afterKey is "3", must be nextKey of the previous page`,
		"sort=RESULT&after=1&afterKey=-1":            `afterKey is "-1", must be nextKey of the previous page`,
		"sort=RESULT&after=1&afterKey=FAIL":          `afterKey is "FAIL", must be nextKey of the previous page`,
		"after=1&afterKey=1":                         `afterKey is "1", must be nextKey of the previous page`,
		"handler=" + strings.Repeat("h", 256):        "handler has 256 characters, must have at most 255",
		"author=" + strings.Repeat("%E6%9D%8E", 256): "author has 256 characters, must have at most 255",
		"name=%ff":   "name is not valid UTF-8",
		"handlers=x": `"handlers" is not a parameter of GET /api/v1/jobs`,
		"desc=yes":   "desc is",
	} {
		status, body := s.do("GET", "/api/v1/jobs?"+query, testToken, "")
		require.Equal(t, http.StatusBadRequest, status, query)
		require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), message, query)
	}
}
