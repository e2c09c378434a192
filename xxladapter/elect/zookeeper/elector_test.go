package zookeeper_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/zookeeper"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

var coordinator = electtest.Coordinator{
	New: func(ctx context.Context, a elect.Address) (elect.Elector, error) {
		return zookeeper.New(ctx, a, "test")
	},
	Open:      testserver.ZooKeeper,
	Delete:    deleteNodes,
	Encrypted: encrypted,
}

func TestZooKeeper(t *testing.T) {
	testserver.Long(t) // sessions end in real time
	electtest.RunServer(t, coordinator)
}

func deleteNodes(t *testing.T, at elect.Address) {
	conn, _, err := zk.Connect(at.Hosts, elect.SessionLife, zk.WithLogInfo(false))
	require.NoError(t, err)
	defer conn.Close()
	nodes, _, err := conn.Children(at.Path)
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	require.NoError(t, conn.Delete(at.Path+"/"+nodes[0], -1))
}

// TestTheServerIsAskedAtTheStart gives credentials that cannot be used.
func TestTheServerIsAskedAtTheStart(t *testing.T) {
	url := testserver.ZooKeeper(t)
	as := func(login string) string { return strings.Replace(url, "://", "://"+login, 1) }
	l, err := coordinator.Elector(t, as("scheduler:secret@")).Campaign(t.Context(), nil) // creates the path, for itself
	require.NoError(t, err)
	const refused = `^elector zookeeper://127.0.0.1:\d+/\w+ refuses the credentials, or the user may not create nodes below /\w+: .*not authenticated$`
	coordinator.RequireRefused(t, as("scheduler:wrong-secret@"), refused)
	coordinator.RequireRefused(t, as(""), refused)
	require.NoError(t, l.Resign(t.Context()))
}

// TestACampaignEndsAlthoughTheServerFallsSilent ends a campaign while it waits for an answer.
func TestACampaignEndsAlthoughTheServerFallsSilent(t *testing.T) {
	proxy := testserver.NewProxy(t, testserver.ZooKeeper(t))
	e := coordinator.Elector(t, proxy.URL())
	ctx, cancel := context.WithCancel(t.Context())
	var begin time.Time
	_, err := e.Campaign(ctx, func() {
		proxy.HoldNew(true)
		proxy.Silence()
		begin = time.Now()
		cancel()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, time.Since(begin), elect.SessionLife, "it does not last as long as its session")
}

// encrypted starts a proxy in front of the server. The proxy terminates TLS, as the server's own
// port for TLS does.
func encrypted(t *testing.T) (string, *x509.CertPool) {
	a := electtest.Address(t, testserver.ZooKeeper(t))
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	ln, err := tls.Listen("tcp", "127.0.0.1:0", certified.TLS)
	require.NoError(t, err)
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			carrying.Go(func() { carry(conn, a.Hosts[0]) })
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		carrying.Wait()
	})
	trusted := x509.NewCertPool()
	trusted.AddCert(certified.Certificate())
	return "zookeepers://" + ln.Addr().String() + a.Path, trusted
}

// carry forwards a connection to a server until one of them closes it.
func carry(client net.Conn, server string) {
	defer client.Close()
	conn, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer conn.Close()
	var both sync.WaitGroup
	both.Go(func() { _, _ = io.Copy(conn, client); _ = conn.Close() })
	both.Go(func() { _, _ = io.Copy(client, conn); _ = client.Close() })
	both.Wait()
}
