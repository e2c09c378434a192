package admin

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

func TestInfoSaysWhatTheSchedulerIs(t *testing.T) {
	s := siteWith(t, func(o *Options) {
		o.CronProfile, o.Zone = cron.Sane, time.UTC
		o.Info = Info{
			Version: "v1.2.3", Revision: "abc", Go: "go1.26", Node: "n1", Metrics: true, Alarms: []string{"mail"},
			KeepLogs: 30 * 24 * time.Hour, KeepSuccesses: 10 * time.Minute, RunTexts: xxladapter.TextsAll,
			FastPool: 200, SlowPool: 100, Drain: 10 * time.Second, SkewLimit: 2 * time.Second,
		}
	})
	status, answer := s.do("GET", "/api/v1/info", testToken, "")
	require.Equal(t, http.StatusOK, status, answer)
	var is map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(answer), &is))
	delete(is, "now")
	data, err := json.Marshal(is)
	require.NoError(t, err)
	require.JSONEq(t, `{"version":"v1.2.3","revision":"abc","go":"go1.26","node":"n1","store":{"kind":"MEMORY"},"zone":"UTC","cronProfile":"sane",
		"features":{"users":true,"alarms":true,"metrics":true,"console":false,"open":false,"takeOver":false},"alarms":["mail"],
		"retention":{"logsSeconds":2592000,"successesSeconds":600,"runTexts":"all"},
		"limits":{"fastPool":200,"slowPool":100,"drainMs":10000,"skewLimitMs":2000,"page":1000,"bulk":100000}}`, string(data))
	require.NotContains(t, answer, testToken)
	status, _ = s.do("GET", "/api/v1/info?x=1", testToken, "")
	require.Equal(t, http.StatusBadRequest, status)
}
