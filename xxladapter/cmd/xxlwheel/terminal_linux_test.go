package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// openTerminal opens a terminal with nothing typed yet.
func openTerminal(t *testing.T) (keyboard, screen *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = keyboard.Close() })
	require.NoError(t, unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetUint32(int(keyboard.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	screen, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	t.Cleanup(func() { _ = screen.Close() }) // a second close is fine
	return keyboard, screen
}

// TestAQuestionOnARealTerminal runs the binary with a terminal, as a person does.
func TestAQuestionOnARealTerminal(t *testing.T) {
	t.Parallel()
	serve, server := serveOn(t, t.TempDir()+"/x.db")
	for _, answer := range []string{"n\n", "y\n"} {
		id := mustCLI(t, "job", "add", "--server", server, "--app", "some-app", "--name", "nightly", "--handler", "h")
		keyboard, screen := openTerminal(t)
		c := exec.Command(os.Args[0], "job", "remove", id, "--server", server)
		c.Env = append(os.Environ(), roleVariable+"=xxlwheel", noParent+"=1")
		var stdout bytes.Buffer
		c.Stdin, c.Stdout, c.Stderr = screen, &stdout, screen
		require.NoError(t, c.Start())
		require.NoError(t, screen.Close(), "so that the end of the binary ends the reading")
		var shown strings.Builder
		buf := make([]byte, 1000)
		for !strings.Contains(shown.String(), "[y/N]") {
			n, err := keyboard.Read(buf)
			require.NoError(t, err, shown.String())
			shown.Write(buf[:n])
		}
		_, err := keyboard.WriteString(answer)
		require.NoError(t, err)
		err = c.Wait()
		code, _, _ := cli(t, "job", "show", id, "--server", server)
		if answer == "y\n" {
			require.NoError(t, err)
			require.Equal(t, command.ExitFail, code, "it is gone")
		} else {
			require.ErrorContains(t, err, "exit status 1")
			require.Zero(t, code)
		}
		require.Empty(t, stdout.String())
	}
	require.Zero(t, serve.terminate())
}
