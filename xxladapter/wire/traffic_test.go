package wire

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// readRequest returns a request of testdata and its body.
func readRequest(t *testing.T, name string) (*http.Request, []byte) {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".http"))
	require.NoError(t, err)
	defer f.Close()
	r, err := http.ReadRequest(bufio.NewReader(f))
	require.NoError(t, err)
	body, err := io.ReadAll(r.Body)
	require.NoError(t, err)
	return r, body
}

func readReply(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name+".reply.json"))
	require.NoError(t, err)
	return data
}

// TestTrafficRequests checks that equal messages decode to the same value, whatever generation
// wrote them: G1 to G3 as in XXL-JOB 2.4.2, 3.2.0 and 3.3.2 (ExecutorBizClient.java and
// AdminBizClient.java), G4 as in the unreleased 3.5.
func TestTrafficRequests(t *testing.T) {
	registry := Registry{Group: "EXECUTOR", Key: "xxl-job-executor-sample", Value: "http://10.0.0.7:9999/"}
	callbacks := Callbacks{
		{LogID: 101, LogTime: 1767225600123, HandleCode: 200},
		{LogID: 102, LogTime: 1767225600456, HandleCode: 500, HandleMsg: "boom <a='b'>"},
		{LogID: 103, LogTime: 1767225600789, HandleCode: 502, HandleMsg: "job execute timeout "},
	}
	run := RunRequest{
		JobID: 7, Handler: "demoJobHandler", Params: "a=1 & b<2 'ü'", BlockStrategy: "SERIAL_EXECUTION", Timeout: 30,
		LogID: 101, LogTime: 1767225600123, GlueType: "BEAN", GlueUpdated: 1541254891000, BroadcastTotal: 1,
	}
	for _, c := range []struct {
		generations, name, path string
		got, want               any
	}{
		{"g1 g2 g3 g4", "idleBeat", PathIdleBeat, &IdleBeatRequest{}, &IdleBeatRequest{JobID: 7}},
		{"g1 g2 g3", "run", PathRun, &RunRequest{}, &run},
		{"g4", "trigger", PathTrigger, &RunRequest{}, &run},
		{"g1 g2 g3 g4", "kill", PathKill, &KillRequest{}, &KillRequest{JobID: 7}},
		{"g1 g2 g3 g4", "log", PathLog, &LogRequest{}, &LogRequest{LogID: 101, LogTime: 1767225600000, FromLine: 1}},
		{"g1 g2 g3", "registry", AdminContextPath + OpRegistry, &Registry{}, &registry},
		{"g1 g2 g3", "registryRemove", AdminContextPath + OpRegistryRemove, &Registry{}, &registry},
		{"g1 g2 g3", "callback", AdminContextPath + OpCallback, &Callbacks{}, &callbacks},
		{"g4", "registry", AdminPath + OpRegistry, &Registry{}, &registry},
		{"g4", "registryRemove", AdminPath + OpRegistryRemove, &Registry{}, &registry},
		{"g4", "callback", AdminPath + OpCallback, &Callbacks{}, &callbacks},

		{"goport", "registry", AdminContextPath + OpRegistry, &Registry{}, &Registry{Group: "EXECUTOR", Key: "golang-jobs", Value: "http://10.0.0.8:9999"}},
		{"goport", "callback", AdminContextPath + OpCallback, &Callbacks{}, &Callbacks{{LogID: 101, LogTime: 1767225600123, HandleCode: 200, HandleMsg: "done"}}},
		{"goport", "callback-old", AdminContextPath + OpCallback, &Callbacks{}, &Callbacks{{LogID: 101, LogTime: 1767225600123, HandleCode: 500, HandleMsg: "boom"}}},
	} {
		for generation := range strings.FieldsSeq(c.generations) {
			name := generation + "/" + c.name
			r, body := readRequest(t, name)
			require.NoError(t, Decode(body, c.got), name)
			require.Equal(t, c.want, c.got, name)
			require.Equal(t, c.path, r.URL.Path, name)
			require.Equal(t, http.MethodPost, r.Method, name)
			require.Equal(t, "default_token", r.Header.Get(HeaderToken), name)
			require.Equal(t, generation == "g4", r.Header.Get(HeaderAppName) != "", name)
			require.Equal(t, ContentType, r.Header.Get("Content-Type"), name)
		}
	}
}

func TestTrafficReplies(t *testing.T) {
	for _, c := range []struct {
		files string
		want  Reply
		err   error
	}{
		{"g1/beat g1/idleBeat g1/run g1/kill", Reply{Code: 200}, nil},
		{"g2/beat g2/idleBeat g2/run g2/kill g3/beat g3/idleBeat g3/run g3/kill g4/beat g4/idleBeat g4/trigger g4/kill", OK(), nil},
		{"g1/idleBeat-busy g2/idleBeat-busy g3/idleBeat-busy g4/idleBeat-busy", Fail(MsgBusy), nil},
		{"g1/run-refused g2/run-refused g3/run-refused g4/trigger-refused", Fail(MsgDiscardLater), nil},
		{"g1/kill-unknown", Reply{Code: 200, Msg: MsgAlreadyKilled}, nil},
		{"g2/kill-unknown g3/kill-unknown g4/kill-unknown", OK().WithPayload(MsgAlreadyKilled), nil},
		{"g1/log", Reply{Code: 200}.WithPayload(LogResult{1, 2, "line one\nline two\n", false, 0}), nil},
		{"g2/log g3/log g4/log", OK().WithPayload(LogResult{1, 2, "line one\nline two\n", false, 0}), nil},
		{"g1/registry g1/registryRemove g1/callback", Reply{Code: 200}, nil},
		{"g2/registry g2/registryRemove g2/callback g3/registry g3/registryRemove g3/callback g4/registry g4/registryRemove g4/callback", OK(), nil},
		{"g1/callback-token g2/callback-token g3/callback-token", Fail(MsgWrongToken), nil},
		{"g4/callback-token", Fail("invalid request, accessToken or appname invalid."), nil},

		{"goport/run", Reply{Code: 200}, nil},
		{"goport/run-refused", Fail("There are tasks running"), nil},
		{"goport/run-refused-old", Fail("Task not registered"), nil},
		{"goport/idleBeat-busy", Fail("Task is busy"), nil},
		{"goport/kill-unknown", Fail(MsgGoKillUnknown), nil},
	} {
		for name := range strings.FieldsSeq(c.files) {
			got, err := DecodeReply(readReply(t, name))
			require.ErrorIs(t, err, c.err, name)
			require.Equal(t, c.want, got, name)
		}
	}
}

// TestTrafficIsComplete checks that every file of testdata is used above, or for the job calls.
func TestTrafficIsComplete(t *testing.T) {
	files, err := filepath.Glob("testdata/*/*")
	require.NoError(t, err)
	requests, replies := 0, 0
	for _, f := range files {
		switch {
		case strings.Contains(f, "fuzz"):
		case strings.HasSuffix(f, ".http"):
			requests++
		case strings.HasSuffix(f, ".reply.json"):
			replies++
		}
	}
	require.Equal(t, 4*8+6+3, requests)
	require.Equal(t, 4*12+2+5, replies)
}

// TestEncoding checks field by field that a peer of each generation can read what is sent.
func TestEncoding(t *testing.T) {
	encode := func(v any) string {
		data, err := json.Marshal(v)
		require.NoError(t, err)
		return string(data)
	}
	callbacks := Callbacks{{LogID: 101, LogTime: 1767225600123, HandleCode: 200}, {LogID: 102, LogTime: 2, HandleCode: 500, HandleMsg: "boom"}}
	g4, err := callbacks.MarshalG4()
	require.NoError(t, err)
	none, err := Callbacks(nil).MarshalG4()
	require.NoError(t, err)
	admin := func(r Reply) string {
		data, err := r.MarshalAdmin()
		require.NoError(t, err)
		return string(data)
	}
	for _, c := range []struct{ got, want string }{
		{encode(RunRequest{JobID: 7, Handler: "h", LogID: 101, LogTime: 5, GlueType: "BEAN", BroadcastTotal: 1}),
			`{"jobId":7,"executorHandler":"h","executorParams":"","executorTimeout":0,"logId":101,"logDateTime":5,"glueType":"BEAN","glueSource":"","glueUpdatetime":0,"broadcastIndex":0,"broadcastTotal":1}`},
		{encode(RunRequest{ScheduledTime: 9})[:12], `{"jobId":0,"`},
		{encode(IdleBeatRequest{7}), `{"jobId":7}`},
		{encode(KillRequest{7}), `{"jobId":7}`},
		{encode(LogRequest{LogID: 101, LogTime: 5, FromLine: 1}), `{"logDateTim":5,"logDateTime":5,"logId":101,"fromLineNum":1}`},
		{encode(callbacks), `[{"logId":101,"logDateTim":1767225600123,"handleCode":200},{"logId":102,"logDateTim":2,"handleCode":500,"handleMsg":"boom"}]`},
		{string(g4), `{"callbackList":[{"logId":101,"logDateTime":1767225600123,"handleCode":200},{"logId":102,"logDateTime":2,"handleCode":500,"handleMsg":"boom"}]}`},
		{encode(Callbacks(nil)), `[]`},
		{string(none), `{"callbackList":[]}`},
		{encode(Registry{"EXECUTOR", "a", "b"}), `{"registryGroup":"EXECUTOR","registryKey":"a","registryValue":"b"}`},
		{encode(OK()), `{"code":200,"msg":"Success"}`},
		{encode(Reply{Code: 200}), `{"code":200}`},
		{encode(Fail("no")), `{"code":500,"msg":"no"}`},
		{encode(OK().WithPayload(LogResult{1, 2, "a\n", false, 0})), `{"code":200,"msg":"Success","content":{"fromLineNum":1,"toLineNum":2,"logContent":"a\n","isEnd":false},"data":{"fromLineNum":1,"toLineNum":2,"logContent":"a\n","isEnd":false}}`},
		{admin(Reply{Code: 200}), `{"code":200,"msg":null,"content":null,"data":null,"success":true}`},
		{admin(Fail("no").WithPayload(1)), `{"code":500,"msg":"no","content":1,"data":1,"success":false}`},
		{NotFound("/x"), "invalid request, uri-mapping(/x) not found."},
	} {
		require.Equal(t, c.want, c.got)
	}
}
