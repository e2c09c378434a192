package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A signalling records what is written, and closes written with the first text that is redrawn.
type signalling struct {
	testserver.Output

	once    sync.Once
	written chan struct{}
}

func (s *signalling) Write(data []byte) (int, error) {
	if data[0] == '\r' {
		s.once.Do(func() { close(s.written) })
	}
	return s.Output.Write(data)
}

// TestCommandsThatTakeLongSaySo lets a scheduler answer the call that takes long no sooner than the
// terminal says what the command does.
func TestCommandsThatTakeLongSaySo(t *testing.T) {
	t.Parallel()
	for words, is := range map[string]struct{ call, want string }{
		"run clear --all --yes":              {"/runs/clear", `deleting, 0 runs so far`},
		"audit verify":                       {"/audit/verify", `verifying`},
		"audit export":                       {"/audit/export", `exporting, 0 KiB so far`},
		"run list -n 0":                      {"/runs", `listing, 0 entries so far`},
		"job trigger 1":                      {"/orders/7", `waiting for the start`},
		"run rerun 3":                        {"/orders/7", `waiting for the start`},
		"job trigger 1 --wait":               {"/runs/4", `waiting, 1 of 2 runs have ended`},
		"job trigger 1 --wait --output json": {"/runs/3", `waiting, 0 of 2 runs have ended`},
	} {
		t.Run(words, func(t *testing.T) {
			t.Parallel()
			stderr := &signalling{written: make(chan struct{})}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/api/v1"+is.call {
					select {
					case <-stderr.written:
					case <-r.Context().Done():
					}
				}
				fmt.Fprint(w, `{"deleted":7,"done":true,"whole":true,"order":7,"state":"STARTED","logIds":[3,4],"status":"SUCCESS","runs":[]}`)
			}))
			t.Cleanup(server.Close)
			var stdout strings.Builder
			args := append(strings.Fields(words), "--server", server.URL)
			require.Zero(t, run(t.Context(), args, command.Console{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: stderr, Asks: true}))
			require.Regexp(t, `^(\r`+is.want+`, \ds\x1b\[K)+\r\x1b\[K$`, stderr.String())
			require.NotContains(t, stdout.String(), "\r")
		})
	}
}
