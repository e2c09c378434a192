package executor

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestConformance checks every reply that XXL-JOB's executors give (2.4.2 to 3.4.2,
// EmbedServer.java and ExecutorBizImpl.java), for the requests of every generation. The payload has
// both names and a success always has a text, so that an admin of any generation finds what it
// needs.
func TestConformance(t *testing.T) {
	const (
		ok        = `{"code":200,"msg":"Success"}`
		triggered = 1767225600000
	)
	hold := make(chan struct{})
	defer close(hold)
	setup := func(e *Executor) {
		require.NoError(t, e.Handle("demoJobHandler", func(context.Context, *Run) error { return nil }))
		require.NoError(t, e.Handle("hold", func(context.Context, *Run) error { <-hold; return nil }))
	}
	open := start(t, Options{StopGrace: -1, AbandonAfter: time.Nanosecond, LogRetentionDays: -1}, setup)
	locked := start(t, Options{AccessToken: "default_token"}, setup)
	strict := start(t, Options{AccessToken: "default_token", RequireAppName: true}, setup)
	scripts := start(t, Options{Scripts: true, AccessToken: "secret"}, setup)

	dir := filepath.Join(open.opts.DataDir, day(triggered))
	require.NoError(t, os.MkdirAll(dir, 0o750))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "101.log"), []byte("line one\nline two\n"), 0o600))

	run := func(job, log int, more string) string {
		return fmt.Sprintf(`{"jobId":%d,"logId":%d,"logDateTime":%d,"glueType":"BEAN"%s}`, job, log, int64(triggered), more)
	}
	token := func(token, app string) map[string]string {
		return map[string]string{wire.HeaderToken: token, wire.HeaderAppName: app}
	}
	fail := func(msg string) string { return `{"code":500,"msg":"` + msg + `"}` }
	noFile := func(v string) string {
		return `{"code":200,"msg":"Success","content":` + v + `,"data":` + v + `}`
	}
	log := func(from, to int, content string, end bool) string {
		return noFile(fmt.Sprintf(`{"fromLineNum":%d,"toLineNum":%d,"logContent":"%s","isEnd":%t}`, from, to, content, end))
	}
	const killed = `{"code":200,"msg":"job thread already killed.","content":"job thread already killed.","data":"job thread already killed."}`

	for _, c := range []struct {
		name   string
		on     *running
		method string
		path   string
		body   string
		header map[string]string
		want   string
	}{
		// Checks in their order: the earlier one answers.
		{name: "method before token", on: locked, method: "GET", path: "/beat", header: token("", ""), want: fail("invalid request, HttpMethod not support.")},
		{name: "method before path", on: open, method: "PUT", path: "/nope", want: fail("invalid request, HttpMethod not support.")},
		{name: "token missing", on: locked, path: "/beat", header: token("", ""), want: fail("The access token is wrong.")},
		{name: "token wrong", on: locked, path: "/run", body: run(1, 1, ""), header: token("default_tokem", ""), want: fail("The access token is wrong.")},
		{name: "token longer", on: locked, path: "/run", body: run(1, 1, ""), header: token("default_token2", ""), want: fail("The access token is wrong.")},
		{name: "token before path", on: locked, path: "/nope", header: token("x", "orders"), want: fail("The access token is wrong.")},
		{name: "token right, app name ignored before 3.5", on: locked, path: "/beat", header: token("default_token", "others"), want: ok},
		{name: "no token set: none demanded", on: open, path: "/beat", want: ok},
		{name: "no token set: any taken", on: open, path: "/beat", header: token("x", "y"), want: ok},
		{name: "3.5: both headers missing", on: locked, path: "/trigger", body: run(1, 1, ""), header: token("", ""), want: fail("invalid request, accessToken or appname is empty.")},
		{name: "3.5: app name missing", on: locked, path: "/trigger", body: run(1, 1, ""), header: token("default_token", ""), want: fail("invalid request, accessToken or appname is empty.")},
		{name: "3.5: token wrong", on: locked, path: "/trigger", body: run(1, 1, ""), header: token("x", "orders"), want: fail("invalid request, accessToken or appname invalid.")},
		{name: "3.5: app name wrong", on: locked, path: "/trigger", body: run(1, 1, ""), header: token("default_token", "others"), want: fail("invalid request, accessToken or appname invalid.")},
		{name: "3.5 everywhere: app name missing", on: strict, path: "/beat", header: token("default_token", " "), want: fail("invalid request, accessToken or appname is empty.")},
		{name: "3.5 everywhere: before the path", on: strict, path: "/nope", header: token("x", "orders"), want: fail("invalid request, accessToken or appname invalid.")},
		{name: "3.5 everywhere: right", on: strict, path: "/beat", header: token("default_token", "orders"), want: ok},
		{name: "path unknown", on: open, path: "/nope", want: fail("invalid request, uri-mapping(/nope) not found.")},
		{name: "path root", on: open, path: "/", want: fail("invalid request, uri-mapping(/) not found.")},
		{name: "path with query", on: open, path: "/beat?x=1", want: fail("invalid request, uri-mapping(/beat?x=1) not found.")},
		{name: "path with two slashes", on: open, path: "//beat", want: fail("invalid request, uri-mapping(//beat) not found.")},
		{name: "path with another case", on: open, path: "/idlebeat", want: fail("invalid request, uri-mapping(/idlebeat) not found.")},

		// beat: the body does not matter.
		{name: "beat up to 3.2.0", on: open, path: "/beat", body: `""`, want: ok},
		{name: "beat since 3.3.0", on: open, path: "/beat", want: ok},
		{name: "beat with rubbish", on: open, path: "/beat", body: "{", want: ok},

		// run and trigger.
		{name: "run", on: open, path: "/run", body: run(1, 1, `,"executorHandler":"demoJobHandler"`), want: ok},
		{name: "trigger without a token set", on: open, path: "/trigger", body: run(1, 2, `,"executorHandler":"demoJobHandler"`), want: ok},
		{name: "trigger", on: locked, path: "/trigger", body: run(1, 2, `,"executorHandler":"demoJobHandler"`), want: ok},
		{name: "run in full", on: locked, path: "/run", want: ok, body: `{"jobId":7,"executorHandler":"demoJobHandler","executorParams":"a=1","executorBlockStrategy":"SERIAL_EXECUTION","executorTimeout":0,"logId":101,"logDateTime":1767225600123,"glueType":"BEAN","glueSource":"","glueUpdatetime":1541254891000,"broadcastIndex":0,"broadcastTotal":1}`},
		{name: "numbers as Gson takes them", on: open, path: "/run", body: `{"jobId":"1","executorTimeout":1.0,"logId":"3","logDateTime":null,"glueType":"BEAN","executorHandler":"demoJobHandler","more":{"a":[1]}}`, want: ok},
		{name: "unknown handler", on: open, path: "/run", body: run(1, 4, `,"executorHandler":"nope"`), want: fail("job handler [nope] not found.")},
		{name: "empty handler", on: open, path: "/run", body: run(1, 4, `,"executorHandler":""`), want: fail("job handler [] not found.")},
		{name: "no handler", on: open, path: "/run", body: run(1, 4, ``), want: fail("request error: executorHandler is missing, a BEAN run must name its handler")},
		{name: "no glue type", on: open, path: "/run", body: `{"jobId":1,"logId":4}`, want: fail("glueType[null] is not valid.")},
		{name: "unknown glue type", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_COBOL"}`, want: fail("glueType[GLUE_COBOL] is not valid.")},
		{name: "groovy", on: scripts, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_GROOVY"}`, want: fail("fail, current glue type [GLUE(Java)] not supported.")},
		{name: "shell, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_SHELL"}`, want: fail("fail, current glue type [GLUE(Shell)] not supported.")},
		{name: "python, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_PYTHON"}`, want: fail("fail, current glue type [GLUE(Python3)] not supported.")},
		{name: "python 2, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_PYTHON2"}`, want: fail("fail, current glue type [GLUE(Python2)] not supported.")},
		{name: "node, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_NODEJS"}`, want: fail("fail, current glue type [GLUE(Nodejs)] not supported.")},
		{name: "powershell, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_POWERSHELL"}`, want: fail("fail, current glue type [GLUE(PowerShell)] not supported.")},
		{name: "php, off", on: open, path: "/run", body: `{"jobId":1,"logId":4,"glueType":"GLUE_PHP"}`, want: fail("fail, current glue type [GLUE(PHP)] not supported.")},
		{name: "busy: accepted", on: open, path: "/run", body: run(9, 90, `,"executorHandler":"hold"`), want: ok},
		{name: "busy: serial waits", on: open, path: "/run", body: run(9, 91, `,"executorHandler":"hold","executorBlockStrategy":"SERIAL_EXECUTION"`), want: ok},
		{name: "busy: unknown strategy waits", on: open, path: "/run", body: run(9, 92, `,"executorHandler":"hold","executorBlockStrategy":"x"`), want: ok},
		{name: "busy: discard", on: open, path: "/run", body: run(9, 93, `,"executorHandler":"hold","executorBlockStrategy":"DISCARD_LATER"`), want: fail("block strategy effect：Discard Later")},
		{name: "busy: waiting log id again", on: open, path: "/run", body: run(9, 91, `,"executorHandler":"hold"`), want: fail("repeat trigger job, logId:91")},

		// idleBeat.
		{name: "idleBeat unknown job", on: open, path: "/idleBeat", body: `{"jobId":4711}`, want: ok},
		{name: "idleBeat busy job", on: open, path: "/idleBeat", body: `{"jobId":9}`, want: fail("job thread is running or has trigger queue.")},

		// kill.
		{name: "kill", on: open, path: "/kill", body: `{"jobId":9}`, want: ok},
		{name: "kill again", on: open, path: "/kill", body: `{"jobId":9}`, want: killed},
		{name: "kill unknown job", on: open, path: "/kill", body: `{"jobId":4711}`, want: killed},

		// log, with either spelling of the time.
		{name: "log", on: open, path: "/log", body: `{"logDateTim":1767225600000,"logId":101,"fromLineNum":1}`, want: log(1, 2, `line one\nline two\n`, false)},
		{name: "log in 3.5", on: open, path: "/log", body: `{"logId":101,"logDateTime":1767225600000,"fromLineNum":2}`, want: log(2, 2, `line two\n`, false)},
		{name: "log from before the first line", on: open, path: "/log", body: `{"logDateTim":1767225600000,"logId":101,"fromLineNum":0}`, want: log(0, 2, `line one\nline two\n`, false)},
		{name: "log past its end", on: open, path: "/log", body: `{"logDateTim":1767225600000,"logId":101,"fromLineNum":3}`, want: log(3, 2, ``, false)},
		{name: "log that is not there", on: open, path: "/log", body: `{"logDateTim":1767225600000,"logId":4711,"fromLineNum":1}`, want: log(1, 0, `readLog fail, logFile not exists`, true)},
		{name: "log of another day", on: open, path: "/log", body: `{"logDateTim":0,"logId":101,"fromLineNum":1}`, want: log(1, 0, `readLog fail, logFile not exists`, true)},

		// Bodies that cannot be parsed.
		{name: "no body", on: open, path: "/run", want: fail("request error: empty body")},
		{name: "null", on: open, path: "/kill", body: "null", want: fail("request error: body is null")},
		{name: "fraction for an integer", on: open, path: "/run", body: `{"jobId":9.5}`, want: fail("request error: 9.5 is not an integer")},
		{name: "list for an object", on: open, path: "/idleBeat", body: `[]`, want: fail("request error: body is a JSON array, must be an object")},
		{name: "number for a string", on: open, path: "/run", body: `{"jobId":1,"executorHandler":{}}`, want: fail("request error: executorHandler is a JSON object, must be a string")},
	} {
		if c.method == "" {
			c.method = http.MethodPost
		}
		w := c.on.raw(c.method, c.path, c.body, c.header)
		// A field that XXL-JOB does not have, and that its admins ignore.
		body := regexp.MustCompile(`,"logsAgeMs":\d+`).ReplaceAllString(w.Body.String(), "")
		require.Equal(t, c.want, body, c.name)
		require.Equal(t, http.StatusOK, w.Code, c.name)
		require.Equal(t, "text/html;charset=UTF-8", w.Header().Get("Content-Type"), c.name)
	}

	// The texts of the JSON parser are not compared.
	for _, path := range []string{"/run", "/trigger", "/idleBeat", "/kill", "/log"} {
		for _, body := range []string{"{", "no json", `{"jobId":1}{`, "\x00"} {
			w := open.raw(http.MethodPost, path, body, nil)
			require.True(t, strings.HasPrefix(w.Body.String(), `{"code":500,"msg":"request error: `), "%s %q: %s", path, body, w.Body)
		}
	}
}

// TestReadingALogMakesNoDirectory checks that a day directory is created only for a log that is
// written; XXL-JOB creates one for 1970 if the time is missing (2.4.2, XxlJobFileAppender.java).
func TestReadingALogMakesNoDirectory(t *testing.T) {
	e := start(t, Options{}, nil)
	e.post("/log", `{"logId":1}`)
	require.NoDirExists(t, filepath.Join(e.opts.DataDir, day(0)))
}

func TestBodyLimit(t *testing.T) {
	t.Parallel()
	e := start(t, Options{Listen: "127.0.0.1:0"}, nil)
	send := func(head, body string) (status int, text string, closed bool) {
		conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(e.Address(), "http://"), "/"))
		require.NoError(t, err)
		defer conn.Close()
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			// the other side may stop reading before the end
			_, _ = io.WriteString(conn, "POST /kill HTTP/1.1\r\nHost: localhost\r\n"+head+"\r\n\r\n"+body)
		}()
		require.NoError(t, conn.SetReadDeadline(time.Now().Add(10*time.Second)))
		all, _ := io.ReadAll(io.LimitReader(conn, 64<<10)) // ends when the connection is closed
		_ = conn.Close()
		<-sent
		answer := string(all)
		_, err = fmt.Sscanf(answer, "HTTP/1.1 %d", &status)
		require.NoError(t, err, answer)
		_, text, _ = strings.Cut(answer, "\r\n\r\n")
		return status, text, strings.Contains(answer, "Connection: close")
	}
	const tooLarge = `{"code":500,"msg":"request error: body is larger than 5242880 bytes"}`
	pad := func(n int) string { return `{"jobId":1,"x":"` + strings.Repeat("a", n-18) + `"}` }

	status, text, closed := send(fmt.Sprintf("Content-Length: %d", wire.MaxBody+1), pad(wire.MaxBody+1))
	require.Equal(t, []any{413, tooLarge, true}, []any{status, text, closed})
	chunk := pad(wire.MaxBody + 1)
	status, text, closed = send("Transfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(chunk), chunk))
	require.Equal(t, []any{413, tooLarge, true}, []any{status, text, closed})

	// Exactly the limit is accepted, also chunked.
	status, text, _ = send(fmt.Sprintf("Connection: close\r\nContent-Length: %d", wire.MaxBody), pad(wire.MaxBody))
	require.Equal(t, 200, status)
	require.Contains(t, text, `"code":200`)
	chunk = pad(wire.MaxBody)
	status, _, _ = send("Connection: close\r\nTransfer-Encoding: chunked", fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(chunk), chunk))
	require.Equal(t, 200, status)
}

func TestServeInsideAnotherServer(t *testing.T) {
	e := start(t, Options{AppName: "shop", Address: "http://10.0.0.7/jobs/"}, func(e *Executor) {
		require.NoError(t, e.Handle("a", func(context.Context, *Run) error { return nil }))
	})
	require.Equal(t, "http://10.0.0.7/jobs/", e.Address())
	mux := http.NewServeMux()
	mux.Handle("/jobs/", http.StripPrefix("/jobs", e.Executor))
	ask := func(path string) string {
		w := newRecorder()
		mux.ServeHTTP(w, newPost(path))
		return w.Body.String()
	}
	require.Equal(t, `{"code":200,"msg":"Success"}`, ask("/jobs/beat"))
	require.Equal(t, `{"code":500,"msg":"invalid request, uri-mapping(/) not found."}`, ask("/jobs/"))
}

func TestNoOperation(t *testing.T) {
	e := start(t, Options{}, nil)
	w := newRecorder()
	http.StripPrefix("/jobs", e.Executor).ServeHTTP(w, newPost("/jobs"))
	require.Equal(t, `{"code":500,"msg":"invalid request, uri-mapping empty."}`, w.Body.String())
}

func TestNotServedOutsideRun(t *testing.T) {
	e, err := New(Options{Listen: "127.0.0.1:0"})
	require.NoError(t, err)
	w := newRecorder()
	e.ServeHTTP(w, newPost("/beat"))
	require.Equal(t, `{"code":500,"msg":"executor is not running"}`, w.Body.String())

	r := start(t, Options{}, nil)
	r.stop()
	require.Equal(t, "executor is not running", r.post("/beat", "").Msg)
}
