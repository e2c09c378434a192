package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TestALongLogIsPrintedWhole reads a log that comes in parts. The last part is marked, is empty, or
// names no line.
func TestALongLogIsPrintedWhole(t *testing.T) {
	type part struct {
		From    int64  `json:"fromLineNum"`
		To      int64  `json:"toLineNum"`
		Content string `json:"logContent"`
		End     bool   `json:"isEnd"`
		Note    string `json:"note,omitempty"`
	}
	for name, tt := range map[string]struct {
		parts map[int64]part // by the requested line
		from  string
		want  string
		note  string
	}{
		"one part":                {parts: map[int64]part{1: {1, 2, "a\nb\n", true, ""}}, want: "a\nb\n"},
		"the last part says so":   {parts: map[int64]part{1: {1, 2, "a\nb\n", false, ""}, 3: {3, 3, "c\n", true, ""}}, want: "a\nb\nc\n"},
		"an empty part":           {parts: map[int64]part{1: {1, 2, "a\nb\n", false, ""}, 3: {3, 2, "", true, ""}}, want: "a\nb\n"},
		"a run in progress":       {parts: map[int64]part{1: {1, 1, "a\n", false, ""}, 2: {2, 1, "", false, ""}}, want: "a\n"},
		"an empty part, numbered": {parts: map[int64]part{1: {1, 1, "a\n", false, ""}, 2: {2, 5, "", false, ""}}, want: "a\n"},
		"a part naming no line":   {parts: map[int64]part{1: {1, 0, "a\n", false, ""}}, want: "a\n"},
		"from a line on":          {parts: map[int64]part{2: {2, 2, "b\n", false, ""}, 3: {3, 2, "", true, ""}}, from: "2", want: "b\n"},
		"nothing, and why":        {parts: map[int64]part{1: {1, 0, "", true, "given up"}}, note: "xxlwheel: given up\n"},
	} {
		t.Run(name, func(t *testing.T) {
			asked := 0
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				from, _ := strconv.ParseInt(r.URL.Query().Get("from"), 10, 64)
				p, known := tt.parts[from]
				if !known || r.URL.Path != "/api/v1/runs/7/log" {
					t.Errorf("asked for %s", r.URL)
				}
				asked++
				_ = json.NewEncoder(w).Encode(p)
			}))
			defer srv.Close()
			args := []string{"run", "--server", srv.URL, "log", "7"}
			if tt.from != "" {
				args = append(args, "--from", tt.from)
			}
			code, stdout, stderr := cli(t, args...)
			require.Zero(t, code, stderr)
			require.Equal(t, tt.want, stdout)
			require.Equal(t, tt.note, stderr)
			require.Equal(t, len(tt.parts), asked)
		})
	}
	code, _, stderr := cli(t, "run", "log", "7", "--from", "0")
	require.Equal(t, command.ExitUsage, code)
	require.Equal(t, "xxlwheel: --from is 0, must be at least 1\n", stderr)
}

// TestARunThatEndsWhileItIsAskedForIsRead serves a run that has ended when the run itself is
// requested. Its text is refused until then, or for good if no executor has accepted the run.
func TestARunThatEndsWhileItIsAskedForIsRead(t *testing.T) {
	for name, tt := range map[string]struct {
		accepted bool
		want     string
	}{"accepted meanwhile": {true, "a\n"}, "accepted by none": {false, ""}} {
		t.Run(name, func(t *testing.T) {
			ended := false
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/api/v1/runs/7":
					ended = true
					_, _ = w.Write([]byte(`{"id":7,"status":"SUCCESS"}`))
				case ended && tt.accepted:
					_, _ = w.Write([]byte(`{"fromLineNum":1,"toLineNum":1,"logContent":"a\n","isEnd":true}`))
				default:
					w.WriteHeader(http.StatusConflict)
					_, _ = w.Write([]byte(`{"code":"conflict","message":"no executor has accepted the run"}`))
				}
			}))
			defer srv.Close()
			code, stdout, stderr := cli(t, "run", "--server", srv.URL, "log", "7", "--follow")
			require.Equal(t, tt.want, stdout, stderr)
			require.Equal(t, tt.accepted, code == 0, stderr)
		})
	}
}

// TestAFollowedLogOutlivesARestart has the scheduler break off two answers, as a restart does.
// A scheduler that never answered is not asked again.
func TestAFollowedLogOutlivesARestart(t *testing.T) {
	t.Parallel()
	lines := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.Method == http.MethodPost:
			_, _ = io.WriteString(w, `{"order":5}`)
		case r.URL.Path == "/api/v1/orders/5":
			_, _ = io.WriteString(w, `{"state":"STARTED","logIds":[7]}`)
		case r.URL.Path == "/api/v1/runs/7":
			_, _ = io.WriteString(w, `{"id":7,"status":"SUCCESS"}`)
		default:
			if lines++; lines == 2 || lines == 3 {
				panic(http.ErrAbortHandler)
			}
			fmt.Fprintf(w, `{"fromLineNum":%s,"toLineNum":%[1]s,"logContent":"line\n","isEnd":%v}`, r.FormValue("from"), lines > 3)
		}
	}))
	t.Cleanup(server.Close)
	for words, want := range map[string]string{
		"run log 7 --follow": "line\nline\n", "job trigger 1 --follow -q": "line\nline\n7\n",
	} {
		lines = 0
		code, stdout, stderr := cli(t, append(strings.Fields(words), "--server", server.URL)...)
		require.Zero(t, code, stderr)
		require.Equal(t, want, stdout, words)
	}
	begun := time.Now()
	code, _, stderr := cli(t, "run", "log", "7", "--follow", "--server", "http://127.0.0.1:1")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "reach scheduler at http://127.0.0.1:1")
	require.Less(t, time.Since(begun), 5*time.Second)
}

// TestAnInterruptEndsAFollowedLog interrupts the command while the scheduler answers, which ends it
// as an interrupt between two calls does.
func TestAnInterruptEndsAFollowedLog(t *testing.T) {
	for _, path := range []string{"/api/v1/runs/1/log", "/api/v1/runs/1"} {
		t.Run(path, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != path {
					w.WriteHeader(http.StatusConflict)
					_, _ = w.Write([]byte(`{"code":"conflict","message":"no executor has accepted the run"}`))
					return
				}
				cancel()
				<-r.Context().Done()
			}))
			t.Cleanup(server.Close)
			var stderr bytes.Buffer
			code := run(ctx, []string{"run", "log", "1", "--follow", "--server", server.URL}, command.Console{
				Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: &stderr,
			})
			require.Zero(t, code, stderr.String())
			require.Empty(t, stderr.String())
		})
	}
}
