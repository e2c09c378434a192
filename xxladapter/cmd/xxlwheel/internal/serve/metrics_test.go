package serve

import (
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestACallerOfTheMetricsIsNotWaitedForLong has callers that do not send what they have announced,
// and one that does not read the answer. Nobody needs a token for the page.
func TestACallerOfTheMetricsIsNotWaitedForLong(t *testing.T) {
	for name, request := range map[string]string{
		"half a header": "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n",
		"no body":       "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n",
		"unread":        "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := testserver.NewPipes()
				pages := access.NewPages(access.PagesOptions{Open: true, Listen: "127.0.0.1:0", Setting: "--allow-host"})
				stop := serveMetrics(ln, pages, metrics.New())
				defer func() { require.NoError(t, stop()) }()
				conn, err := ln.Dial(t.Context(), "", "")
				require.NoError(t, err)
				defer conn.Close()
				_, err = fmt.Fprint(conn, request)
				require.NoError(t, err)
				time.Sleep(2 * time.Minute)
				left := make(chan error, 1)
				go func() { // ends when conn is closed, on either side
					_, err := conn.Read(make([]byte, 1))
					left <- err
				}()
				synctest.Wait()
				select {
				case err := <-left:
					require.ErrorIs(t, err, io.EOF)
				default:
					require.Fail(t, "the server waits")
				}
			})
		})
	}
}
