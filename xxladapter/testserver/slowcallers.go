package testserver

import (
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// GivesUpSlowCallers requires that a server closes the connections of callers that do not send what
// they have announced, or do not read the answer, within two minutes. Call is a method and a path,
// as in "GET /metrics". serve begins to serve a listener in a bubble of its own, for each caller;
// the function that it returns stops the server and waits for its end.
func GivesUpSlowCallers(t *testing.T, call string, serve func(t *testing.T, ln net.Listener) (stop func())) {
	t.Helper()
	for name, rest := range map[string]string{
		"half a header": "", "no body": "Content-Length: 10\r\n\r\n", "unread": "Content-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ln := NewPipes()
				stop := serve(t, ln)
				defer stop()
				conn, err := ln.Dial(t.Context(), "", "")
				require.NoError(t, err)
				defer conn.Close()
				_, err = fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s", call, rest)
				require.NoError(t, err)
				time.Sleep(2 * time.Minute)
				left := make(chan error, 1)
				go func() { // the bubble waits for it; it ends when conn is closed, on either side
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
