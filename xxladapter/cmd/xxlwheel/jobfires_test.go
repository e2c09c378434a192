package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TestOpenFiresAreListedPageByPage serves fires in pages of one. Due times do not ascend with ids,
// so each page continues after the due time and the id of the last fire.
func TestOpenFiresAreListedPageByPage(t *testing.T) {
	t.Parallel()
	pages := map[string]string{
		"":                          `{"id":9,"jobId":1,"jobName":"nightly","due":"2026-03-01T12:00:00.25Z","triggerType":"RETRY","state":"claimed","logId":4,"node":"web-1"}],"more":true`,
		"2026-03-01T12:00:00.25Z 9": `{"id":3,"jobId":2,"jobName":"hourly","due":"2026-03-01T13:00:00Z","triggerType":"CRON","state":"planned"}],"more":true`,
		"2026-03-01T13:00:00Z 3":    `{"id":5,"jobId":2,"jobName":"hourly","due":"2026-03-01T14:00:00Z","triggerType":"CRON","state":"planned"}]`,
	}
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		asked = append(asked, q.Get("job")+q.Get("state")+q.Get("limit"))
		fmt.Fprintf(w, `{"fires":[%s}`, pages[strings.TrimSpace(q.Get("afterDue")+" "+q.Get("afterId"))])
	}))
	t.Cleanup(server.Close)
	out := mustCLI(t, "job", "fires", "--server", server.URL)
	require.Regexp(t, `(?s)^FIRE +JOB +NAME +DUE +TYPE +STATE +RUN +NODE\n9 +1 +nightly +\S+ +RETRY +claimed +4 +web-1\n.*3 +2 +hourly +\S+ +CRON +planned +- +-\n`, out)
	require.Equal(t, []string{"9", "3", "5"}, strings.Fields(mustCLI(t, "job", "fires", "-q", "-n", "0", "--server", server.URL)))
	asked = nil
	require.Equal(t, []string{"9", "3"}, strings.Fields(mustCLI(t, "job", "fires", "7", "--state", "PLANNED", "-q", "-n", "2", "--server", server.URL)))
	require.Equal(t, []string{"7planned2", "7planned1"}, asked)
	code, _, stderr := cli(t, "job", "fires", "--count=-1", "--server", server.URL)
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "-n is -1")
}
