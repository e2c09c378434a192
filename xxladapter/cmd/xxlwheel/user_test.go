package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// A desk runs command lines against one scheduler.
type desk struct {
	t             *testing.T
	server, token string
}

// newDesk starts a scheduler, and returns a desk of its operator.
func newDesk(t *testing.T) desk {
	t.Helper()
	_, server := serveOn(t, t.TempDir()+"/x.db", "--access-token", "s3cret-executors", "--operator-token", "s3cret-operators")
	return desk{t, server, "s3cret-operators"}
}

// as returns the desk of the bearer of another token.
func (d desk) as(token string) desk { return desk{d.t, d.server, token} }

// run runs a command line with a text on its standard input.
func (d desk) run(words, stdin string) (code int, stdout, stderr string) {
	d.t.Helper()
	var out, errs bytes.Buffer
	args := append(strings.Fields(words), "--server", d.server, "--access-token", d.token)
	code = run(d.t.Context(), args, command.Console{Stdin: strings.NewReader(stdin), Stdout: &out, Stderr: &errs})
	return code, out.String(), errs.String()
}

// must runs a command line that has to succeed, and returns its stdout.
func (d desk) must(words, stdin string) string {
	d.t.Helper()
	code, stdout, stderr := d.run(words, stdin)
	require.Zero(d.t, code, "%s: %s", words, stderr)
	return strings.TrimSpace(stdout)
}

// login returns the status of a login with a password.
func (d desk) login(name, password string) int {
	d.t.Helper()
	body, err := json.Marshal(map[string]string{"name": name, "password": password})
	require.NoError(d.t, err)
	req, err := http.NewRequestWithContext(d.t.Context(), http.MethodPost, d.server+"/api/v1/session", bytes.NewReader(body))
	require.NoError(d.t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(d.t, err)
	require.NoError(d.t, resp.Body.Close())
	return resp.StatusCode
}

// TestUserCommands creates users, changes their roles and passwords, and removes one.
func TestUserCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	require.Equal(t, "1", d.must("user create root --role admin --all", "pass of root\n"))
	d.must("group add billing", "")
	d.must("group add reports", "")
	require.Equal(t, `{"id":2}`, d.must("user create ann --role viewer --group 1,2,1 -o json", "pass of ann\r\n"))
	require.Equal(t, "3", d.must("user create robot --no-password", "not read"))
	require.Regexp(t, `(?s)^ID +NAME +SIGNS IN BY +ADDED +ROLES\n1 +root +password +\S+ +all=admin\n2 +ann +password +\S+ +1=viewer 2=viewer\n3 +robot +- +\S+ +-$`,
		d.must("user list", ""))
	require.Equal(t, "1\n2\n3", d.must("user list -q", ""))
	require.Equal(t, http.StatusOK, d.login("root", "pass of root"))
	require.Equal(t, http.StatusOK, d.login("ann", "pass of ann"), "no line break is part of it")

	grants := func() string {
		var u struct{ Grants json.RawMessage }
		require.NoError(t, json.Unmarshal([]byte(strings.Split(d.must("user list -o json", ""), "\n")[1]), &u))
		return string(u.Grants)
	}
	d.must("user grant 2 editor --group 2", "")
	require.JSONEq(t, `[{"jobGroup":1,"role":"viewer"},{"jobGroup":2,"role":"editor"}]`, grants())
	d.must("user grant 2 operator --all", "")
	require.JSONEq(t, `[{"jobGroup":0,"role":"operator"},{"jobGroup":1,"role":"viewer"},{"jobGroup":2,"role":"editor"}]`, grants())
	d.must("user grant 2 none --group 1,2", "")
	require.JSONEq(t, `[{"jobGroup":0,"role":"operator"}]`, grants())
	d.must("user grant 2 none --all", "")
	require.JSONEq(t, `[]`, grants())

	d.must("user password 2", "a new pass")
	require.Equal(t, http.StatusUnauthorized, d.login("ann", "pass of ann"))
	require.Equal(t, http.StatusOK, d.login("ann", "a new pass"))
	d.must("user password 2 --none", "")
	require.Equal(t, http.StatusUnauthorized, d.login("ann", "a new pass"))

	for _, tt := range []struct {
		words, stdin string
		code         int
		line         string
	}{
		{"user create x", "", command.ExitUsage, "standard input is empty, must have the password as its only line"},
		{"user create x", "\n", command.ExitUsage, "standard input is empty"},
		{"user create x", "a pass of x\nanother\n", command.ExitUsage, "standard input has several lines"},
		{"user create x", "short", command.ExitFail, "password has 5 characters, must have at least 8"},
		{"user create a/b --no-password", "", command.ExitFail, "must have no blanks"},
		{"user create root --no-password", "", command.ExitFail, "is taken by another user"},
		{"user create x --no-password --role viewer", "", command.ExitUsage, "--role is viewer, must be given with --group or --all"},
		{"user create x --no-password --all", "", command.ExitUsage, "--role is missing, must be given with --group or --all"},
		{"user create x --no-password --role god --all", "", command.ExitUsage, "--role must be one of"},
		{"user create x --no-password --role viewer --all --group 1", "", command.ExitUsage, "can't be used together"},
		{"user create x --no-password --role viewer --group 0", "", command.ExitUsage, "--group is 0, must be the id of a group"},
		{"user create x --no-password --role viewer --group 9", "", command.ExitFail, "grants name group 9"},
		{"user create x --password=secret", "", command.ExitUsage, "unknown flag --password"},
		{"user grant 2 viewer", "", command.ExitUsage, "--group or --all is missing"},
		{"user grant 2 god --all", "", command.ExitUsage, "must be one of"},
		{"user grant 9 viewer --all", "", command.ExitFail, "user 9 does not exist"},
		{"user grant 1 viewer --all", "", command.ExitFail, "user 1 is the last administrator"},
		{"user password 9", "a pass of x", command.ExitFail, "user 9 does not exist"},
		{"user password 2", "", command.ExitUsage, "standard input is empty"},
		{"user remove 2", "", command.ExitUsage, "--yes is missing, must be given without a terminal: Delete user 2, ann, and its sessions and tokens?"},
		{"user remove 9 --yes", "", command.ExitFail, "user 9 does not exist"},
		{"user remove 1 --yes", "", command.ExitFail, "user 1 is the last administrator"},
	} {
		code, stdout, stderr := d.run(tt.words, tt.stdin)
		require.Equal(t, tt.code, code, "%s: %s", tt.words, stderr)
		require.Contains(t, stderr, tt.line, tt.words)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.Empty(t, stdout)
	}
	require.Equal(t, "1\n2\n3", d.must("user list -q", ""), "mistakes change nothing")
	d.must("user remove 2 --yes", "")
	require.Equal(t, "1\n3", d.must("user list -q", ""))
}

// TestTokenCommands creates tokens, uses them, and revokes them.
func TestTokenCommands(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.must("user create root --role admin --all", "pass of root\n")
	d.must("group add billing", "")
	d.must("user create ann --role operator --group 1 --no-password", "")

	code, stdout, stderr := d.run("token create ci --user ann --role viewer --group 1 --expires 12h", "")
	require.Zero(t, code, stderr)
	require.Regexp(t, `^xwt_[\w-]{43}\n$`, stdout)
	require.Regexp(t, `^xxlwheel: created token 1 of ann, which ends \S+; its secret is not shown again\n$`, stderr)
	ann := d.as(strings.TrimSpace(stdout))
	var created struct {
		ID    int64
		Token string
	}
	require.NoError(t, json.Unmarshal([]byte(d.must("token create deploy --user root -o json", "")), &created))
	require.Equal(t, int64(2), created.ID)
	root := d.as(created.Token)
	code, stdout, stderr = d.run("token create quiet --user ann --expires 2020-01-01T00:00:00Z -q", "")
	require.Equal(t, command.ExitFail, code, stdout)
	require.Contains(t, stderr, "must be in the future")
	code, stdout, stderr = d.run("token create quiet --user ann -q --expires "+time.Now().Add(time.Hour).Format(time.RFC3339), "")
	require.Zero(t, code, stderr)
	require.Regexp(t, `^xwt_`, stdout, "it is shown once, so also here")
	require.Empty(t, stderr)

	require.Contains(t, ann.must("group list", ""), "billing")
	code, _, stderr = ann.run("group add other", "")
	require.Equal(t, command.ExitFail, code)
	require.Contains(t, stderr, "needs the role admin")
	all := `(?s)^ID +USER +NAME +ROLE +GROUPS +USED +EXPIRES\n1 +2 +ci +viewer +1 +\S+ +\S+\n2 +1 +deploy +its user's +its user's +\S+ +\S+\n3 +2 +quiet +its user's +its user's +- +\S+$`
	require.Regexp(t, all, root.must("token list --all", ""))
	require.Equal(t, "1", ann.must("token list -q", ""), "a token shows no other one")
	require.NotContains(t, d.must("token list --all -o json", ""), "xwt_")

	for _, tt := range []struct {
		by    desk
		words string
		code  int
		line  string
	}{
		{d, "token create x", command.ExitUsage, "missing flags: --user=NAME"},
		{d, "token create x --user nobody", command.ExitFail, `user "nobody" does not exist`},
		{d, "token create x --user ann --expires soon", command.ExitUsage, `--expires is "soon", must be a span such as 90d or 12h, or an RFC 3339 instant`},
		{d, "token create x --user ann --expires=-1h", command.ExitUsage, `--expires is "-1h", must be in the future`},
		{d, "token create x --user ann --expires 367d", command.ExitFail, "must be within 366 days"},
		{d, "token create x --user ann --role god", command.ExitUsage, "--role must be one of"},
		{root, "token create x --user ann", command.ExitFail, "this call needs a session, and the caller has a token"},
		{d, "token list", command.ExitFail, "this call is for users, and the caller is none"},
		{ann, "token list --all", command.ExitFail, "needs the role admin"},
		{ann, "token revoke 3 --yes", command.ExitFail, "this call needs a session"},
		{d, "token revoke 1", command.ExitUsage, "--yes is missing, must be given without a terminal: Delete token 1"},
		{d, "token revoke 9 --yes", command.ExitFail, "9 does not exist"},
	} {
		code, stdout, stderr := tt.by.run(tt.words, "")
		require.Equal(t, tt.code, code, "%s: %s", tt.words, stderr)
		require.Contains(t, stderr, tt.line, tt.words)
		require.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
		require.Empty(t, stdout)
	}
	d.must("token revoke 1 --yes", "")
	code, _, stderr = ann.run("group list", "")
	require.Equal(t, command.ExitFail, code, "at once")
	require.NotContains(t, stderr, ann.token)
	require.Equal(t, "2\n3", d.must("token list --all -q", ""))
}
