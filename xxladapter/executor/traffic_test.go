package executor

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// traffic returns what peers of each generation send; package wire holds it.
func traffic(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "wire", "testdata", name))
	require.NoError(t, err)
	return data
}

// TestJavaAdminDrivesTheExecutor sends the requests of each generation's admin, byte for byte, over
// one connection.
func TestJavaAdminDrivesTheExecutor(t *testing.T) {
	for _, generation := range []string{"g1", "g2", "g3", "g4"} {
		t.Run(generation, func(t *testing.T) {
			params := make(chan string, 1)
			e := start(t, Options{
				AppName: "xxl-job-executor-sample", AccessToken: "default_token",
				RequireAppName: generation == "g4", Listen: "127.0.0.1:0",
			}, func(e *Executor) {
				require.NoError(t, e.Handle("demoJobHandler", func(ctx context.Context, run *Run) error {
					params <- run.Param
					<-ctx.Done()
					return ctx.Err()
				}))
			})
			conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(e.Address(), "http://"), "/"))
			require.NoError(t, err)
			defer conn.Close()
			in := bufio.NewReader(conn)
			ask := func(name string) wire.Reply {
				_, err := conn.Write(traffic(t, generation+"/"+name+".http"))
				require.NoError(t, err)
				resp, err := http.ReadResponse(in, nil)
				require.NoError(t, err)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, http.StatusOK, resp.StatusCode)
				reply, err := wire.DecodeReply(body)
				require.NoError(t, err)
				return reply
			}
			// same compares with the recorded reply: the code, and the payload if there is one.
			same := func(name, recorded string) {
				got := ask(name)
				want, err := wire.DecodeReply(traffic(t, generation+"/"+recorded+".reply.json"))
				require.NoError(t, err)
				require.Equal(t, want.Code, got.Code, name)
				if want.Code != wire.CodeOK {
					require.Equal(t, want.Msg, got.Msg, name)
				}
				if want.Payload != nil && name != "log" {
					require.Equal(t, string(want.Payload), string(got.Payload), name)
				}
			}
			run := "run"
			if generation == "g4" {
				run = "trigger"
			}
			same("beat", "beat")
			same("idleBeat", "idleBeat")
			same(run, run)
			require.Equal(t, "a=1 & b<2 'ü'", <-params)
			same("idleBeat", "idleBeat-busy")
			require.Equal(t, "repeat trigger job, logId:101", ask(run).Msg)
			var log wire.LogResult
			require.NoError(t, wire.Decode(ask("log").Payload, &log))
			require.Contains(t, log.Content, "run 101 of job 7 starts")
			require.False(t, log.End)
			same("kill", "kill")
			same("kill", "kill-unknown")
			testserver.Eventually(t, endsWithin, "result", func() bool { return e.admin.result(101) != nil })
			require.Equal(t, wire.Callback{
				LogID: 101, LogTime: 1767225600123, HandleCode: 500, HandleMsg: "scheduling center kill job. [job running, killed]",
			}, *e.admin.result(101))
		})
	}
}

// TestExecutorTalksToJavaAdmins checks that the replies of each generation's admin acknowledge what
// the executor sends, and only those with code 200.
func TestExecutorTalksToJavaAdmins(t *testing.T) {
	for _, generation := range []string{"g1", "g2", "g3", "g4"} {
		t.Run(generation, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				wrong := true // at first the admin does not know the token
				sent := map[string]string{}
				var mu sync.Mutex
				client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					mu.Lock()
					defer mu.Unlock()
					body, _ := io.ReadAll(r.Body)
					op := filepath.Base(r.URL.Path)
					reply := traffic(t, generation+"/"+op+".reply.json")
					switch {
					case op != wire.OpCallback:
					case wrong:
						reply = traffic(t, generation+"/callback-token.reply.json")
						wrong = false
					case generation == "g4" && body[0] == '[':
						reply = []byte(`{"code":500,"data":null,"msg":"openapi invoke error: Expected BEGIN_OBJECT but was BEGIN_ARRAY","success":false}`)
					}
					sent[op] = string(body)
					return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(reply))}, nil
				})}
				e := start(t, Options{HTTPClient: client, AppName: "xxl-job-executor-sample"}, withEcho(t))
				run := beanRun(7, 101, "echo")
				run.LogTime = 1767225600123
				e.post("/run", run)
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Zero(t, e.live.Load().journal.waiting())
				want := `[{"logId":101,"logDateTim":1767225600123,"handleCode":200}]`
				if generation == "g4" {
					want = `{"callbackList":[{"logId":101,"logDateTime":1767225600123,"handleCode":200}]}`
				}
				require.Equal(t, want, sent[wire.OpCallback])
				require.Equal(t, `{"registryGroup":"EXECUTOR","registryKey":"xxl-job-executor-sample","registryValue":"http://10.0.0.7:9999/"}`, sent[wire.OpRegistry])
				e.stop()
				require.Equal(t, sent[wire.OpRegistry], sent[wire.OpRegistryRemove])
			})
		})
	}
}
