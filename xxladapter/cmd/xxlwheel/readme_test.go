package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestTheCommandsOfREADMERun runs this program's commands in the order of the README, whose Chinese
// text has the same ones (TestBothLanguagesOfREADMESayTheSame). Only ports and folders are the
// test's. The demo has a test of its own.
func TestTheCommandsOfREADMERun(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../README.md")
	require.NoError(t, err)
	server, printed := "", ""
	var ran []string
	for _, block := range codeBlock.FindAllStringSubmatch(string(text), -1) {
		for line := range strings.Lines(strings.ReplaceAll(block[1], "\\\n", " ")) {
			args, ok := ourCommand(line)
			if !ok || args[0] == "demo" {
				continue
			}
			ran = append(ran, args[0])
			switch args[0] {
			case "serve":
				serve := start(t, "xxlwheel", append(args, "--listen", "127.0.0.1:0", "--store", "sqlite:"+filepath.Join(t.TempDir(), "x.db"))...)
				server = strings.TrimSuffix(strings.Fields(serve.line("serves on"))[3], ",")
			case "executor":
				start(t, "xxlwheel", append(args, "--listen", "127.0.0.1:0", "--admin", server, "--data-dir", t.TempDir())...).line("accepts runs at")
			default:
				code, stdout, stderr := cli(t, append(args, "--server", server)...)
				require.Equal(t, command.ExitOK, code, "%s: %s", line, stderr)
				printed += stdout
				// A reader's next line comes after the registration.
				testserver.Eventually(t, time.Minute, "the executor is registered", func() bool {
					return strings.Contains(mustCLI(t, "group", "list", "--server", server), "http://127.0.0.1:")
				})
			}
		}
	}
	require.Equal(t, []string{"serve", "executor", "job", "job"}, ran)
	require.Contains(t, printed, "hello from xxlwheel", "the log of the run")
}
