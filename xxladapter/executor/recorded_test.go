package executor

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire/recorded"
)

// sentByJava returns the bytes of a request that a Java admin at work sent to an executor of this
// project, and the reply that it accepted.
func sentByJava(t *testing.T, release, kind string) (request []byte, accepted wire.Reply) {
	t.Helper()
	e := recorded.One(t, "../wire/testdata/recorded", release, "admin-to-executor", kind)
	accepted, err := wire.DecodeReply(e.Reply)
	require.NoError(t, err)
	return e.Sent, accepted
}

// TestJavaAdminsAtWork sends what Java admins sent while their jobs ran here, byte by byte (XXL-JOB
// 2.4.2, XxlJobTrigger.java, ExecutorRouteFailover.java and ExecutorRouteBusyover.java; 3.3.2 and
// 3.4.2, JobTrigger.java). The replies are those that the admins accepted.
func TestJavaAdminsAtWork(t *testing.T) {
	for _, release := range []string{"2.4.2", "3.3.2", "3.4.2"} {
		t.Run(release, func(t *testing.T) {
			params, held, ended := make(chan string, 1), make(chan struct{}), make(chan error, 2)
			left := make(chan struct{}) // closed when the run that nobody kills may end
			opts := Options{AppName: "some-app", AccessToken: "default_token", Listen: "127.0.0.1:0"}
			e := start(t, opts, func(e *Executor) {
				require.NoError(t, e.Handle("note", func(_ context.Context, run *Run) error {
					run.Logger.Info("hello " + run.Param)
					params <- run.Param
					return nil
				}))
				require.NoError(t, e.Handle("hold", func(ctx context.Context, _ *Run) error {
					held <- struct{}{}
					select {
					case <-left:
						return nil
					case <-ctx.Done():
						ended <- context.Cause(ctx)
						return ctx.Err()
					}
				}))
			})
			conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(e.Address(), "http://"), "/"))
			require.NoError(t, err)
			defer conn.Close()
			in := bufio.NewReader(conn)
			ask := func(kind string) (reply, accepted wire.Reply) {
				request, accepted := sentByJava(t, release, kind)
				_, err := conn.Write(request)
				require.NoError(t, err)
				resp, err := http.ReadResponse(in, nil)
				require.NoError(t, err)
				defer resp.Body.Close()
				require.Equal(t, http.StatusOK, resp.StatusCode)
				body, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				reply, err = wire.DecodeReply(body)
				require.NoError(t, err)
				return reply, accepted
			}
			same := func(kind string) {
				reply, accepted := ask(kind)
				require.Equal(t, accepted, reply, kind)
			}
			same("beat-200")
			same("run-200")
			require.Equal(t, "a <b> & 'c'", <-params)
			var log wire.LogResult
			reply, _ := ask("log-200")
			require.NoError(t, wire.Decode(reply.Payload, &log))
			require.Contains(t, log.Content, "hello a <b> & 'c'")
			same("run-500")
			same("idleBeat-200")

			require.Equal(t, wire.OK(), e.post("/run", beanRun(10, 100, "hold")))
			<-held
			same("idleBeat-500-busy")
			require.Equal(t, wire.OK(), e.post("/run", beanRun(11, 101, "hold")))
			<-held
			same("run-500-discarded")
			same("kill-200")
			require.Error(t, <-ended, "only that of the job that was killed")
			require.Empty(t, ended)
			close(left)
		})
	}
}
