package main

import (
	"bytes"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// noEchoLimit bounds the time between a prompt and the end of the echo.
const noEchoLimit = 20 * time.Second

// A typist sits at the terminal of a command.
type typist struct {
	t        *testing.T
	keyboard *os.File
	command  *exec.Cmd
	stdout   bytes.Buffer
	shown    strings.Builder
}

// typeTo starts a command line on a terminal.
func (d desk) typeTo(words string) *typist {
	d.t.Helper()
	keyboard, screen := openTerminal(d.t)
	p := &typist{t: d.t, keyboard: keyboard}
	p.command = exec.Command(os.Args[0], append(strings.Fields(words), "--server", d.server, "--access-token", d.token)...)
	p.command.Env = append(os.Environ(), roleVariable+"=xxlwheel", noParent+"=1")
	p.command.Stdin, p.command.Stdout, p.command.Stderr = screen, &p.stdout, screen
	require.NoError(d.t, p.command.Start())
	require.NoError(d.t, screen.Close(), "so that the end of the command ends the reading")
	d.t.Cleanup(func() { _ = p.command.Process.Kill() }) // an error says that it has ended
	return p
}

// echoes reports whether the terminal shows what is typed.
func (p *typist) echoes() bool {
	p.t.Helper()
	state, err := unix.IoctlGetTermios(int(p.keyboard.Fd()), unix.TCGETS)
	require.NoError(p.t, err)
	return state.Lflag&unix.ECHO != 0
}

// await reads the screen until a text is shown.
func (p *typist) await(text string) {
	p.t.Helper()
	buf := make([]byte, 1000)
	for !strings.Contains(p.shown.String(), text) {
		n, err := p.keyboard.Read(buf)
		require.NoError(p.t, err, p.shown.String())
		p.shown.Write(buf[:n])
	}
}

// answer waits for a prompt, and for the end of the echo, and types a line.
func (p *typist) answer(prompt, line string) {
	p.t.Helper()
	p.await(prompt)
	testserver.Eventually(p.t, noEchoLimit, "no echo", func() bool { return !p.echoes() })
	_, err := p.keyboard.WriteString(line + "\n")
	require.NoError(p.t, err)
}

// TestAPasswordIsTypedUnseen runs the binary with a terminal, as a person does.
func TestAPasswordIsTypedUnseen(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	p := d.typeTo("user create root --role admin --all")
	p.answer("Password: ", "pass of root")
	p.answer("The same again: ", "pass of root")
	require.NoError(t, p.command.Wait(), p.shown.String())
	require.Equal(t, "1\n", p.stdout.String())
	require.NotContains(t, p.shown.String(), "pass of root")
	require.Equal(t, http.StatusOK, d.login("root", "pass of root"))

	p = d.typeTo("user password 1")
	p.answer("Password: ", "another pass")
	p.answer("The same again: ", "another past")
	p.await("xxlwheel: the two passwords differ, must be the same")
	require.ErrorContains(t, p.command.Wait(), "exit status 2")

	p = d.typeTo("session password --user root")
	p.answer("Password: ", "pass of root")
	p.answer("New password: ", "pass of the root")
	p.answer("The same again: ", "pass of the root")
	require.NoError(t, p.command.Wait(), p.shown.String())
	require.NotContains(t, p.shown.String(), "pass of")
	require.Equal(t, http.StatusOK, d.login("root", "pass of the root"))

	p = d.typeTo("user password 1")
	p.await("Password: ")
	testserver.Eventually(t, noEchoLimit, "no echo", func() bool { return !p.echoes() })
	require.NoError(t, p.command.Process.Signal(os.Interrupt))
	require.ErrorContains(t, p.command.Wait(), "exit status 1")
	require.True(t, p.echoes(), "the shell that follows shows what is typed")
	require.Equal(t, http.StatusOK, d.login("root", "pass of the root"), "it is unchanged")
}
