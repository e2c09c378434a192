package main

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// TestSessionCommands lists and ends the sessions of a user who signs in with a password, and
// changes the password.
func TestSessionCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("user create bob --role admin --all", "pass of bob\n")
	d.must("user create ann --role viewer --all", "pass of ann\n")
	for _, name := range []string{"ann", "ann", "bob"} {
		require.Equal(t, http.StatusOK, d.login(name, "pass of "+name))
	}
	const anns = "session list --user ann"
	head, ids := headAndIDs(d.must(anns, "pass of ann\n"))
	require.Regexp(t, `^ID +FROM +SIGNED IN +USED +EXPIRES$`, head)
	require.Len(t, ids, 2, "that of the command is not among them")
	require.Empty(t, d.must("session end "+ids[0]+" --user ann", "pass of ann\n"))
	require.Equal(t, ids[1], d.must(anns+" -q", "pass of ann\n"), "each command has ended its own")

	code, _, stderr := d.run("session end "+ids[1]+" --user bob", "pass of bob\n")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "session "+ids[1]+" does not exist", "it is somebody else's")
	code, _, stderr = d.run(anns, "a guess\n")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "the name or the password is wrong")
	require.Empty(t, d.must("session password --user ann", "pass of ann\r\nanother pass\r\n"))
	require.Equal(t, http.StatusUnauthorized, d.login("ann", "pass of ann"))
	require.Empty(t, d.must(anns+" -q", "another pass\n"), "the others have ended")
	for stdin, line := range map[string]string{
		"":                            "standard input has 0 lines with text, must have two",
		"another pass\n\n":            "standard input has 1 lines",
		"another pass\nx\ny\n":        "standard input has 3 lines",
		"a guess\nyet another pass\n": "the name or the password is wrong",
		"another pass\nshort\n":       "password has 5 characters",
	} {
		code, _, stderr = d.run("session password --user ann", stdin)
		require.NotZero(t, code)
		require.Contains(t, stderr, line)
	}
	require.Equal(t, http.StatusOK, d.login("ann", "another pass"))
	code, _, stderr = d.run(anns, "")
	require.Equal(t, command.ExitUsage, code)
	require.Contains(t, stderr, "standard input is empty, must have the password as its only line")
}
