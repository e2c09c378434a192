package admin

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/fromxxljob"
)

// takesOver returns the report of a takeover that finds one job.
func takesOver(_ context.Context, dryRun bool) (*fromxxljob.Report, error) {
	return &fromxxljob.Report{
		From: "10.0.0.2:3306/xxl_job", DryRun: dryRun, Jobs: fromxxljob.Count{Taken: 1},
		Taken: []fromxxljob.Job{{From: 7, ID: 9, Name: "settle", On: true, Starts: true, New: true}},
		Notes: []fromxxljob.Note{{What: fromxxljob.Advice, Kind: "job", ID: 7, Name: "settle", Text: "7 versions of scripts belong to jobs that do not exist or were left", Said: xxladapter.Refusef("", errorrule.TakeoverVersionsLeft,
			"%d versions of scripts belong to jobs that do not exist or were left",
			7)}},
	}, nil
}

// TestATakeOverNamesNoDatabase checks that only the settings of the process choose what is read,
// and that an error of the database is an answer.
func TestATakeOverNamesNoDatabase(t *testing.T) {
	for _, method := range []string{"GET", "POST"} {
		status, body := newSite(t).do(method, "/api/v1/takeover", testToken, "")
		require.Equal(t, http.StatusConflict, status)
		requireError(t, "conflict", "no database of XXL-JOB is named, must be named when the scheduler is started (xxlwheel serve --takeover-from)", body)

		var failure error
		woken := 0
		s := siteWith(t, func(o *Options) {
			o.JobChanged = func() { woken++ }
			o.TakeOver = func(ctx context.Context, dryRun bool) (*fromxxljob.Report, error) {
				if failure != nil {
					return nil, failure
				}
				return takesOver(ctx, dryRun)
			}
		})
		for _, request := range []string{`{"from":"mysql://root@10.0.0.9/xxl_job"}`, `{"source":"x"}`} {
			status, body = s.do(method, "/api/v1/takeover", testToken, request)
			require.Equal(t, http.StatusBadRequest, status, body)
		}
		status, _ = s.do(method, "/api/v1/takeover?from=mysql://root@10.0.0.9/xxl_job", testToken, "")
		require.Equal(t, http.StatusBadRequest, status)
		require.Zero(t, woken)

		status, body = s.do(method, "/api/v1/takeover", testToken, "")
		require.Equal(t, http.StatusOK, status, body)
		require.Contains(t, body, `"jobsTaken":[{"from":7,"id":9,"name":"settle","on":true,"starts":true,"new":true}]`)
		require.Contains(t, body, `"rule":"takeover_versions_left","textZh":"有 7 个脚本版本所属的任务不存在或未接管"`)
		require.Equal(t, method == "POST", woken > 0, "the scheduler looks at the jobs at once")

		failure = errors.New("dial tcp 10.0.0.2:3306: connection refused")
		status, body = s.do(method, "/api/v1/takeover", testToken, "")
		require.Equal(t, http.StatusBadGateway, status)
		requireError(t, "unreachable", "the database of XXL-JOB cannot be read: dial tcp 10.0.0.2:3306: connection refused", body)
		failure = xxladapter.Conflictf(errorrule.TakeoverOtherName,
			"jobs were taken from %s before: if this is the same database under another name, give that name "+
				"(xxlwheel takeover --source), and if it is another database, give %s",
			"a", "b")
		status, _ = s.do(method, "/api/v1/takeover", testToken, "")
		require.Equal(t, http.StatusConflict, status)
	}
}
