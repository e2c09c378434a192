package access_test

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const limit = 30 * time.Second

// ask sends a request to a server that answers with a text, and returns the connection.
func ask(t *testing.T, text []byte) net.Conn {
	t.Helper()
	ln := testserver.NewPipes()
	srv := &http.Server{Handler: access.LimitWrites(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(text)
	}), limit)}
	ended := make(chan error)
	go func() { ended <- srv.Serve(ln) }()
	conn, err := ln.Dial(t.Context(), "", "")
	require.NoError(t, err)
	t.Cleanup(func() {
		require.NoError(t, errors.Join(conn.Close(), srv.Close()))
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
	require.NoError(t, err)
	return conn
}

// TestASlowCallerGetsALongText reads for minutes what a handler writes at once.
func TestASlowCallerGetsALongText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := make([]byte, 1<<20+1)
		conn := ask(t, text)
		begun := time.Now()
		resp, err := http.ReadResponse(bufio.NewReader(slow{conn}), nil)
		require.NoError(t, err)
		data, err := io.ReadAll(resp.Body)
		require.NoError(t, err, "after %v", time.Since(begun))
		require.Len(t, data, len(text))
		require.Greater(t, time.Since(begun), 2*limit, "the test is slow enough")
	})
}

// A slow reader reads 4 KiB a second.
type slow struct{ io.Reader }

func (s slow) Read(p []byte) (int, error) {
	time.Sleep(time.Second) // of the bubble
	return s.Reader.Read(p[:min(len(p), 4<<10)])
}

// TestAnAnswerThatNobodyReadsEnds checks answers of each size: the server writes short ones when
// the handler has returned.
func TestAnAnswerThatNobodyReadsEnds(t *testing.T) {
	for _, size := range []int{1, 10 << 10, 1 << 20} {
		synctest.Test(t, func(t *testing.T) {
			conn := ask(t, make([]byte, size))
			time.Sleep(limit + time.Second)
			_, err := conn.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF, "%d bytes", size)
		})
	}
}
