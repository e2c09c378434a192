package admin

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// requireError checks code and message of an error's body.
func requireError(t *testing.T, code, message, body string) {
	t.Helper()
	var is struct{ Code, Message string }
	require.NoError(t, json.Unmarshal([]byte(body), &is), body)
	require.Equal(t, code, is.Code)
	require.Equal(t, message, is.Message)
}

// TestErrorsNameTheirRule makes errors of several kinds: each has a rule, its parameters and a
// message in Chinese.
func TestErrorsNameTheirRule(t *testing.T) {
	s := newSite(t)
	for _, c := range []struct {
		method, path, body, want string
		status                   int
	}{
		{"GET", "/api/v1/jobs/4711", "", `{"code":"not_found","message":"job 4711 does not exist",
			"rule":"not_found","params":{"kind":"job","id":"4711"},"messageZh":"任务 4711 不存在"}`, http.StatusNotFound},
		{"GET", "/api/v1/forecast?hours=169", "", `{"code":"invalid","message":"hours is 169, must be 1 to 168",
			"rule":"range","params":{"field":"hours","value":"169","least":"1","most":"168"},"messageZh":"hours 为 169，须在 1 到 168 之间"}`, http.StatusBadRequest},
		{"GET", "/api/v1/jobs?type=SOON%0A", "", `{"code":"invalid","message":"type is \"SOON\\n\", must be one of NONE, CRON, FIX_RATE, FIX_DELAY, ONCE",
			"rule":"one_of","params":{"field":"type","value":"SOON ","allowed":"NONE, CRON, FIX_RATE, FIX_DELAY, ONCE"},
			"messageZh":"type 为“SOON ”，须为以下之一：NONE, CRON, FIX_RATE, FIX_DELAY, ONCE"}`, http.StatusBadRequest},
		{"POST", "/api/v1/jobs", `{"jobGruop":1}`, `{"code":"invalid","message":"request body: unknown field \"jobGruop\"",
			"rule":"unknown_field","params":{"field":"jobGruop"},"messageZh":"请求体含有未知字段 jobGruop"}`, http.StatusBadRequest},
	} {
		status, body := s.do(c.method, c.path, testToken, c.body)
		require.Equal(t, c.status, status, body)
		require.JSONEq(t, c.want, body)
	}
	status, body := s.do("GET", "/api/v1/jobs", "wrong", "")
	require.Equal(t, http.StatusUnauthorized, status)
	require.JSONEq(t, `{"code":"unauthorized","message":"The access token is wrong.","rule":"wrong_token","messageZh":"访问令牌错误"}`, body)
}
