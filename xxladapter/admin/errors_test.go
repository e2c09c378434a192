package admin

import (
	"encoding/json"
	"io/fs"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
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
	status, body := s.do("GET", "/api/v1/cron/next?expr=0+61+*+*+*+%3F", testToken, "")
	require.Equal(t, http.StatusBadRequest, status, body)
	saysItsField(t, "expr", body)
	status, body = s.do("GET", "/api/v1/jobs", "wrong", "")
	require.Equal(t, http.StatusUnauthorized, status)
	require.JSONEq(t, `{"code":"unauthorized","message":"The access token is wrong.","rule":"wrong_token","messageZh":"访问令牌错误"}`, body)
}

// TestSeveralRulesAreSaidOneByOne breaks two rules of a job at once: the answer has the field and
// the message of each.
func TestSeveralRulesAreSaidOneByOne(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	status, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"executorHandler":"","executorFailRetryCount":-1}`)
	require.Equal(t, http.StatusBadRequest, status, body)
	require.JSONEq(t, `{
		"code":"invalid",
		"message":"executorHandler is empty, a BEAN job must name its handler; executorFailRetryCount is -1, must be 0 to 2147483647",
		"messageZh":"缺少 executorHandler；executorFailRetryCount 为 -1，须在 0 到 2147483647 之间",
		"rule":"several",
		"params":{"rules":"executorHandler is empty, a BEAN job must name its handler; executorFailRetryCount is -1, must be 0 to 2147483647"},
		"rules":[{
			"message":"executorHandler is empty, a BEAN job must name its handler","messageZh":"缺少 executorHandler",
			"rule":"missing","params":{"field":"executorHandler"}
		},{
			"message":"executorFailRetryCount is -1, must be 0 to 2147483647",
			"messageZh":"executorFailRetryCount 为 -1，须在 0 到 2147483647 之间",
			"rule":"range","params":{"field":"executorFailRetryCount","value":"-1","least":"0","most":"2147483647"}
		}]}`, body)
}

// aboutNoField has the rules for requests and declarations that are about no field, each with what
// it is about instead.
var aboutNoField = map[string]string{
	"body":            "the body, which cannot be read",
	"body_single":     "the body, which has too much",
	"several":         "several rules, which the answer has one by one",
	"declaration":     "declarations, whose problems the answer has one by one",
	"not_yaml":        "a file, with the line beside it",
	"merges_itself":   "a file, with the line beside it",
	"too_many_values": "a file, with the line beside it",
	"not_from_code":   "a job that is declared from code",
	"edited_twice":    "two edits of a job",
	"illegal":         "the whole request of an executor, in the words of XXL-JOB",
	"no_queue":        "how the scheduler was started",
}

// TestRulesForRequestsNameTheirField reads the refusals of all packages: the rule of each that has
// the code invalid has a parameter for the field, or is about none.
func TestRulesForRequestsNameTheirField(t *testing.T) {
	var declared, refusals []string
	require.NoError(t, filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == "node_modules":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		source, err := os.ReadFile(path)
		refusals = append(refusals, string(source))
		if filepath.Dir(path) == filepath.Join("..", "errorrule") {
			declared = append(declared, string(source))
		}
		return err
	}))
	rules := map[string][]string{} // code and parameters by name
	declaration := regexp.MustCompile(`(\w+)\s+= Rule\{"(\w+)", "([\w ]*)"\}`)
	for _, r := range declaration.FindAllStringSubmatch(strings.Join(declared, "\n"), -1) {
		rules[r[1]] = append([]string{r[2]}, strings.Fields(r[3])...)
	}
	without := map[string]bool{}
	invalid := regexp.MustCompile(`(?:Invalidf\(|CodeInvalid, )errorrule\.(\w+)`)
	for _, r := range invalid.FindAllStringSubmatch(strings.Join(refusals, "\n"), -1) {
		of, known := rules[r[1]]
		require.True(t, known, "errorrule.%s", r[1])
		if !slices.Contains(of, "field") && !slices.Contains(of, "fields") {
			without[of[0]] = true
		}
	}
	require.Equal(t, slices.Sorted(maps.Keys(aboutNoField)), slices.Sorted(maps.Keys(without)))
}

// saysItsField checks that the parameters of a refusal with the code invalid name field. They may
// name others too: one that does not fit together with it, or those of other broken rules.
func saysItsField(t *testing.T, field, answer string) {
	t.Helper()
	var said api.Error
	require.NoError(t, json.Unmarshal([]byte(answer), &said), answer)
	if said.Code != xxladapter.CodeInvalid || aboutNoField[said.Rule] != "" && len(said.Rules) == 0 {
		return
	}
	named := []string{}
	for _, r := range append(said.Rules, said.BrokenRule) {
		named = append(named, strings.Split(r.Params["field"]+", "+r.Params["other"]+", "+r.Params["fields"], ", ")...)
	}
	require.Contains(t, named, field, answer)
}
