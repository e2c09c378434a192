package executor

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestACallerIsNotWaitedForLong has callers that do not send what they have announced, and one that
// does not read the answer.
func TestACallerIsNotWaitedForLong(t *testing.T) {
	for name, request := range map[string]string{
		"half a header": "POST /beat HTTP/1.1\r\nHost: 127.0.0.1\r\n",
		"no body":       "POST /beat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n",
		"unread":        "POST /beat HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			e, err := New(Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Logger: quietLogger()})
			require.NoError(t, err)
			synctest.Test(t, func(t *testing.T) {
				ln, server := testserver.NewPipes(), e.newServer()
				ended := make(chan error, 1)
				go func() { ended <- server.Serve(ln) }()
				conn, err := ln.Dial(t.Context(), "", "")
				require.NoError(t, err)
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
					assert.ErrorIs(t, err, io.EOF)
				default:
					assert.Fail(t, "the server waits")
				}
				require.NoError(t, errors.Join(conn.Close(), server.Close()))
				require.ErrorIs(t, <-ended, http.ErrServerClosed)
			})
		})
	}
}
