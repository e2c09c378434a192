package main

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestAnElectorThatCannotBeUsedIsRefused(t *testing.T) {
	const away = testserver.Refuses
	leader := []string{"--scheduling", "leader", "--elector"}
	for _, c := range []struct {
		flags []string
		code  int
		want  string
	}{
		{[]string{"--elector", "etcd://u:s3cret@h1:2379/a"}, command.ExitUsage, "--elector needs --scheduling leader"},
		{append(leader, "consul://u:s3cret@h1/a"), command.ExitUsage, "--elector: elector must be etcd:// or zookeeper://"},
		{append(leader, "etcd://u:s3cret@h1:2379"), command.ExitUsage, "--elector: elector must name a path after its hosts"},
		{append(leader, "etcd://u:s3cret@"+away+"/a"), command.ExitFail, "elector etcd://" + away + "/a does not answer: dial tcp"},
		{append(leader, "zookeepers://u:s3cret@"+away+"/a"), command.ExitFail, "elector zookeepers://" + away + "/a does not answer: dial tcp"},
	} {
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + filepath.Join(t.TempDir(), "x.db")}, c.flags...)
		code, _, stderr := cli(t, args...)
		require.Equal(t, c.code, code, stderr)
		require.Contains(t, stderr, c.want)
		require.Equal(t, 1, strings.Count(stderr, "does not answer")+strings.Count(stderr, "--elector"), stderr)
		require.NotContains(t, stderr, "s3cret")
	}
}

// TestAnElectorElectsTheLeader has two schedulers of one store, whose elector is ZooKeeper.
func TestAnElectorElectsTheLeader(t *testing.T) {
	t.Parallel()
	elector := testserver.ZooKeeper(t)
	secret := filepath.Join(t.TempDir(), "elector")
	require.NoError(t, os.WriteFile(secret, []byte(strings.Replace(elector, "://", "://jobs:s3cret@", 1)+"\n"), 0o600))
	file := filepath.Join(t.TempDir(), "x.db")
	one, first := serveOn(t, file, "--scheduling", "leader", "--elector", "@"+secret)
	one.line("elector " + elector)
	nodes := func(server string) string {
		code, stdout, stderr := cli(t, "node", "list", "--server", server)
		require.Zero(t, code, stderr)
		return stdout
	}
	testserver.Eventually(t, 20*time.Second, "the first one is elected", func() bool {
		return strings.Contains(nodes(first), "elected, "+elector) && strings.Contains(nodes(first), "leads")
	})
	two, second := serveOn(t, file, "--scheduling", "leader", "--elector", "@"+secret)
	testserver.Eventually(t, 20*time.Second, "the second one waits", func() bool {
		return strings.Contains(nodes(second), "waits, "+elector)
	})
	resp, err := http.Get(second + "/metrics")
	require.NoError(t, err)
	page, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Contains(t, string(page), `xxlwheel_elector_state{elector="`+elector+`",state="waits"} 1`)
	require.Zero(t, one.terminate())
	testserver.Eventually(t, 20*time.Second, "the second one leads", func() bool {
		return strings.Contains(nodes(second), "elected, ") && strings.Contains(nodes(second), "leads")
	})
	require.NotContains(t, one.stderr.String()+two.stderr.String(), "s3cret")
	require.Zero(t, two.terminate())
}
