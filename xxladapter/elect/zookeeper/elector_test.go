package zookeeper_test

import (
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

func addressOf(t *testing.T, url string) elect.Address {
	t.Helper()
	a, err := elect.ParseAddress(url)
	require.NoError(t, err)
	return a
}

func open(t *testing.T, url string) *zookeeper.Elector {
	t.Helper()
	e, err := zookeeper.New(t.Context(), addressOf(t, url), "test")
	require.NoError(t, err)
	return e
}

func TestContract(t *testing.T) {
	testserver.Long(t) // sessions end in real time
	electtest.Run(t, func(t *testing.T) electtest.Place {
		proxy := testserver.NewProxy(t, testserver.ZooKeeper(t))
		return electtest.Place{
			Elector: func() elect.Elector { return open(t, proxy.URL()) },
			Cut:     func() { proxy.HoldNew(true); proxy.Silence() },
			Heal:    func() { proxy.HoldNew(false); proxy.Reset() },
		}
	})
}

// TestAnOperatorDeletesTheLeadersNode has the next process elected.
func TestAnOperatorDeletesTheLeadersNode(t *testing.T) {
	url := testserver.ZooKeeper(t)
	l, err := open(t, url).Campaign(t.Context(), nil)
	require.NoError(t, err)
	a := addressOf(t, url)
	conn, _, err := zk.Connect(a.Hosts, elect.SessionLife, zk.WithLogInfo(false))
	require.NoError(t, err)
	defer conn.Close()
	nodes, _, err := conn.Children(a.Path)
	require.NoError(t, err)
	require.Len(t, nodes, 1)
	require.NoError(t, conn.Delete(a.Path+"/"+nodes[0], -1))
	select {
	case <-l.Done():
	case <-time.After(elect.SessionLife / 2):
		t.Fatal("it leads on")
	}
	next, err := open(t, url).Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, next.Resign(t.Context()))
}

// TestTheServerIsAskedAtTheStart gives credentials and addresses that cannot be used.
func TestTheServerIsAskedAtTheStart(t *testing.T) {
	url := testserver.ZooKeeper(t)
	as := func(login string) string { return strings.Replace(url, "://", "://"+login, 1) }
	l, err := open(t, as("scheduler:secret@")).Campaign(t.Context(), nil) // creates the path, for itself
	require.NoError(t, err)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, silent.Close())
	for url, want := range map[string]string{
		as("scheduler:wrong-secret@"): `^elector zookeeper://127.0.0.1:\d+/\w+ refuses the credentials, or the user may not create nodes below /\w+: .*not authenticated$`,
		as(""):                        `^elector zookeeper://127.0.0.1:\d+/\w+ refuses the credentials, `,
		"zookeeper://" + silent.Addr().String() + "/a": `^elector zookeeper://127.0.0.1:\d+/a does not answer: dial tcp .* connection refused$`,
	} {
		_, err := zookeeper.New(t.Context(), addressOf(t, url), "test")
		require.Error(t, err, url)
		require.Regexp(t, want, err.Error())
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "\n")
	}
	require.NoError(t, l.Resign(t.Context()))
}

// TestASilentServerIsNotWaitedFor has a server that accepts connections and answers nothing.
func TestASilentServerIsNotWaitedFor(t *testing.T) {
	testserver.Long(t)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer ln.Close()
	began := time.Now()
	_, err = zookeeper.New(t.Context(), addressOf(t, "zookeeper://"+ln.Addr().String()+"/a"), "test")
	require.ErrorContains(t, err, "does not answer")
	require.Less(t, time.Since(began), elect.ContactLimit+3*time.Second)
}

// TestTLS has a proxy in front of the server that ends TLS, as its own port for TLS does.
func TestTLS(t *testing.T) {
	url := testserver.ZooKeeper(t)
	certified := httptest.NewTLSServer(nil)
	defer certified.Close()
	ln, err := tls.Listen("tcp", "127.0.0.1:0", certified.TLS)
	require.NoError(t, err)
	var carrying sync.WaitGroup
	carrying.Go(func() {
		for {
			conn, err := ln.Accept()
			if err != nil {
				return
			}
			carrying.Go(func() { carry(conn, addressOf(t, url).Hosts[0]) })
		}
	})
	a := addressOf(t, "zookeepers://"+ln.Addr().String()+addressOf(t, url).Path)
	_, err = zookeeper.New(t.Context(), a, "test")
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	a.TLS.RootCAs = x509.NewCertPool()
	a.TLS.RootCAs.AddCert(certified.Certificate())
	e, err := zookeeper.New(t.Context(), a, "test")
	require.NoError(t, err)
	l, err := e.Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, l.Resign(t.Context()))
	require.NoError(t, ln.Close())
	carrying.Wait()
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
