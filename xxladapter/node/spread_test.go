package node

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/spread"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// clusterToken is the access token of the nodes of these tests.
const clusterToken = "a token of the cluster"

// startNode runs a node of a store on the loopback interface until the end of the test, and returns
// it with its address.
func startNode(t *testing.T, store xxladapter.Store, opts Options) (*Node, string) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	url := "http://" + ln.Addr().String()
	opts.Store, opts.AccessToken, opts.Zone, opts.Logger = store, clusterToken, time.UTC, slog.New(slog.DiscardHandler)
	if opts.Scheduling == xxladapter.SchedulingLeader {
		opts.Advertise = url
	}
	n, err := New(opts)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() { _ = n.Run(ctx, ln) })
	t.Cleanup(func() { cancel(); ended.Wait() })
	return n, url
}

// TestNodesTakeFiresOfTheirLeaderOverHTTP starts a leader and a follower of one store.
func TestNodesTakeFiresOfTheirLeaderOverHTTP(t *testing.T) {
	t.Parallel()
	store := memstore.New(time.Now)
	opts := Options{Scheduling: xxladapter.SchedulingLeader, Spread: xxladapter.SpreadRound}
	one, _ := startNode(t, store, opts)
	within(t, "one leads", func() bool { return one.Stats().Scheduler.Role == xxladapter.NodeLeads })
	two, _ := startNode(t, store, opts)
	group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	j := &xxladapter.Job{GroupID: group, Name: "job", Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "* * * * * ?"}
	j.SetDefaults()
	id, err := xxladapter.CreateJob(t.Context(), store, j)
	require.NoError(t, err)
	require.NoError(t, storetest.StartAt(t.Context(), store, id, time.Now().Add(time.Second)))
	within(t, "the follower gets fires", func() bool { return two.Stats().Scheduler.Spread.Received > 1 })
	within(t, "the leader has counted them", func() bool { return one.Stats().Scheduler.Spread.Sent > 1 })
	leases, err := store.Leases(t.Context())
	require.NoError(t, err)
	for _, l := range leases {
		require.Equal(t, xxladapter.SpreadRound, l.Report.Spread)
		require.True(t, strings.HasPrefix(l.Report.Address, "http://127.0.0.1:"))
	}
}

// TestANodeTakesFiresFromItsOwnLeaderAlone checks that a node takes no fires without the token,
// from a leader of another store that has the same token, for another term, with another HTTP
// method, and in the mode all.
func TestANodeTakesFiresFromItsOwnLeaderAlone(t *testing.T) {
	foreign := memstore.New(time.Now)
	stranger, err := foreign.Lead(t.Context(), "stranger", time.Hour, xxladapter.ElectionNone)
	require.NoError(t, err)
	store := memstore.New(time.Now)
	leader, err := store.Lead(t.Context(), "leader", time.Hour, xxladapter.ElectionNone)
	require.NoError(t, err)
	n, url := startNode(t, store, Options{Scheduling: xxladapter.SchedulingLeader})
	within(t, "it stands by", func() bool { return n.Stats().Scheduler.Role == xxladapter.NodeStandby })
	own := n.Stats().Scheduler.Term
	// The node's own client gives up after a second, which is too short on a busy machine.
	send := func(token string, at string, from, to xxladapter.Term) (status int, reason string) {
		body := fmt.Sprintf(`{"from":{"node":%q,"term":%d},"to":{"node":%q,"term":%d},"fires":[1]}`, from.Node, from.Number, to.Node, to.Number)
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, at+spread.Path, strings.NewReader(body))
		require.NoError(t, err)
		req.Header.Set("Authorization", "Bearer "+token)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, string(text)
	}
	status, reason := send(clusterToken, url, leader.Term, own)
	require.Equal(t, http.StatusNoContent, status, reason)
	for _, token := range []string{"", "another token"} {
		status, reason = send(token, url, leader.Term, own)
		require.Equal(t, http.StatusUnauthorized, status)
		require.Equal(t, "the access token is wrong\n", reason)
	}
	status, reason = send(clusterToken, url, stranger.Term, own)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, reason, "holds no lease of this store")
	status, reason = send(clusterToken, url, leader.Term, xxladapter.Term{Node: own.Node, Number: own.Number + 1})
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, reason, "fires are for node")

	all, url := startNode(t, memstore.New(time.Now), Options{})
	within(t, "it plans", func() bool { return all.Stats().Scheduler.Holds })
	status, reason = send(clusterToken, url, leader.Term, all.Stats().Scheduler.Term)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, reason, "this node is in the scheduling mode all")
	resp, err := http.Get(url + spread.Path)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusMethodNotAllowed, resp.StatusCode)
	http.DefaultClient.CloseIdleConnections()
}

func TestAnAddressThatNobodyReachesIsRefused(t *testing.T) {
	_, err := New(Options{Store: memstore.New(time.Now), Advertise: "web-1:8080"})
	require.EqualError(t, err, `node: Options.Advertise is "web-1:8080", must be http://HOST:PORT or https://HOST:PORT`)
}
