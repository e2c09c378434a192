package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/stores"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

func TestAuditCommands(t *testing.T) {
	store := memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store})
	audit := func(args ...string) []string { return append([]string{"audit", "--server", server.URL}, args...) }
	must := func(args ...string) string { return mustCLI(t, audit(args...)...) }
	fails := func(code int, line string, args ...string) {
		t.Helper()
		got, _, stderr := cli(t, audit(args...)...)
		require.Equal(t, code, got, stderr)
		require.Contains(t, stderr, line)
	}
	file := filepath.Join(t.TempDir(), "audit.jsonl")
	require.NoError(t, os.WriteFile(file, []byte(must("export")), 0o600))
	for _, source := range [][]string{{"verify"}, {"verify", "--file", file}} {
		none := must(source...)
		require.Equal(t, "0 rows, 1 to 0, form a whole chain; keep this to compare later: 0:"+xxladapter.AuditGenesis, strings.TrimSpace(none))
		require.Equal(t, none, must(append(source, "--expect", "0:"+xxladapter.AuditGenesis)...))
		fails(command.ExitUsage, "--expect is \"0:", append(source, "--expect", "0:"+strings.Repeat("0", 64))...)
	}
	id := mustCLI(t, "job", "--server", server.URL, "add", "--name=nightly", "--app=some-app", "--handler=h", "--cron=0 0 2 * * ?")
	mustCLI(t, "job", "--server", server.URL, "update", id, "--cron=0 30 2 * * ?")

	lines := strings.Split(must("list"), "\n")
	require.Regexp(t, `^ROW +TIME +WHO +FROM +CALL +OBJECT +CHANGES$`, lines[0])
	require.Regexp(t, `^3 +\S+ +open +127\.0\.0\.1 +PUT /api/v1/jobs/\{id\} +job 1 nightly +scheduleConf: "0 0 2 \* \* \?" -> "0 30 2 \* \* \?"$`, lines[1])
	require.Regexp(t, `^2 +\S+ +open +127\.0\.0\.1 +POST /api/v1/jobs +job 1 nightly +jobGroup: 1$`, lines[2])
	require.Equal(t, "3\n2", must("-q", "list", "--job", id))
	require.Equal(t, "1", must("-q", "list", "--kind=group", "--object=1", "--before=2999-01-01T00:00:00Z"))
	require.Empty(t, must("-q", "list", "--actor=nobody"))
	fails(command.ExitFail, "object is 7, must be together with kind", "list", "--object=7")
	fails(command.ExitUsage, "--since is \"noon\"", "list", "--since=noon")
	fails(command.ExitUsage, "-n is -1", "list", "--count=-1")

	_, exported, _ := cli(t, audit("export")...)
	require.Equal(t, 3, strings.Count(exported, "\n"))
	require.NoError(t, os.WriteFile(file, []byte(exported), 0o600))
	require.Contains(t, must("export", "--format=csv", "--kind=job"), "id,time,actorKind,")
	whole := must("verify")
	_, mark, found := strings.Cut(whole, "later: ")
	require.True(t, found, whole)
	for _, source := range [][]string{{"verify"}, {"verify", "--file", file}} {
		require.Equal(t, whole, must(source...))
		require.Equal(t, whole, must(append(source, "--expect", mark)...))
		require.Contains(t, must(append([]string{"-o", "json"}, source...)...), `{"whole":true,"rows":3,`)
		fails(command.ExitFail, "audit row 2 has the hash ", append(source, "--expect", "2"+mark[1:])...)
		fails(command.ExitFail, "audit row 7 does not exist", append(source, "--expect", "7"+mark[1:])...)
		fails(command.ExitUsage, "--expect is \"3\"", append(source, "--expect", "3")...)
	}
	for name, change := range map[string]struct{ old, new, line string }{
		"changed": {`"nightly"`, `"nightlx"`, "audit row 2 was changed, its hash differs"},
		"removed": {strings.SplitAfter(exported, "\n")[1], "", "audit row 2 is missing, the next one is 3"},
		"damaged": {`{"id":3`, `{"id":"3"`, "row 3: json"},
	} {
		require.NoError(t, os.WriteFile(file, []byte(strings.Replace(exported, change.old, change.new, 1)), 0o600))
		fails(command.ExitFail, change.line, "verify", "--file", file)
		require.NotEmpty(t, name)
	}

	rows, err := store.PurgeAudit(t.Context(), time.Now().Add(time.Hour), 2)
	require.NoError(t, err)
	require.Equal(t, 2, rows)
	require.Contains(t, must("verify", "--expect", mark), "1 rows, 3 to 3, form a whole chain")
	fails(command.ExitFail, "audit row 1 was deleted because of its age, must be 2 or later", "verify", "--expect", "1"+mark[1:])

	// The newest deleted row is known by its hash alone.
	require.NoError(t, os.WriteFile(file, []byte(must("export")), 0o600))
	ends, err := store.AuditEnds(t.Context())
	require.NoError(t, err)
	for _, source := range [][]string{{"verify"}, {"verify", "--file", file}} {
		require.Contains(t, must(append(source, "--expect", "2:"+ends.Anchor.Hash)...), "1 rows, 3 to 3, form a whole chain")
		fails(command.ExitFail, "audit row 2 has the hash ", append(source, "--expect", "2"+mark[1:])...)
	}
}

// TestAReaderComparesRowsThatItDoesNotSee compares rows about users, which only administrators of
// all groups see, with a token that may read.
func TestAReaderComparesRowsThatItDoesNotSee(t *testing.T) {
	store := memstore.New(time.Now)
	server := apiServer(t, admin.Options{Store: store, OperatorTokens: []string{"an operator"}, ReadTokens: []string{"a reader"}})
	for _, kind := range []string{xxladapter.AuditUser, xxladapter.AuditAlarm, xxladapter.AuditUser, xxladapter.AuditToken} {
		object, fields := xxladapter.AuditObject{Kind: kind, ID: 1}, xxladapter.Fields{{Name: "x", Value: 1}}
		require.NoError(t, store.AppendAudit(xxladapter.WithCall(t.Context(), "call"), object, fields))
	}
	rows, err := store.AuditRows(t.Context(), xxladapter.AuditFilter{})
	require.NoError(t, err)
	verify := func(token string, id int64, hash string) (code int, stderr string) {
		code, _, stderr = cli(t, "audit", "--server", server.URL, "--access-token", token, "verify", "--expect", fmt.Sprintf("%d:%s", id, hash))
		return code, stderr
	}
	const hidden = 3 // the row behind it, which repeats its hash, is hidden, too
	for i, row := range rows {
		code, stderr := verify("an operator", row.ID, row.Hash)
		require.Equal(t, command.ExitOK, code, stderr)
		code, stderr = verify("a reader", row.ID, row.Hash)
		if row.ID == hidden {
			require.Contains(t, stderr, "audit row 3 is about a user or a token, must be compared by an administrator of all groups")
			continue
		}
		require.Equal(t, command.ExitOK, code, stderr)
		code, stderr = verify("a reader", row.ID, rows[(i+1)%len(rows)].Hash)
		require.Equal(t, command.ExitFail, code)
		require.Contains(t, stderr, "the chain was rewritten")
	}
}

// TestACommandOnTheStoreIsAudited changes the zone by a command on the store, without a scheduler,
// and expects an audit row that names the command.
func TestACommandOnTheStoreIsAudited(t *testing.T) {
	store := "sqlite:" + t.TempDir() + "/x.db"
	createStore(t, store)
	mustCLI(t, "migrate", "--store", store, "--zone", "Asia/Shanghai")
	opened, err := stores.Open(t.Context(), store, sqlstore.Options{})
	require.NoError(t, err)
	defer opened.Close()
	rows, err := opened.AuditRows(t.Context(), xxladapter.AuditFilter{})
	require.NoError(t, err)
	require.Len(t, rows, 1)
	require.Equal(t, "xxlwheel migrate --zone", rows[0].Call)
	require.Equal(t, xxladapter.ActorCommand, rows[0].Actor.Kind)
	require.NotEmpty(t, rows[0].Actor.Name)
}
