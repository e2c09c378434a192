package etcd_test

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/etcd"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestMain(m *testing.M) { testserver.Main(m) }

var coordinator = electtest.Coordinator{
	New:  func(ctx context.Context, a elect.Address) (elect.Elector, error) { return etcd.New(ctx, a, "test") },
	Open: testserver.Etcd,
	Delete: func(t *testing.T, at elect.Address) {
		_, err := client(t, at).Delete(t.Context(), at.Path, clientv3.WithPrefix())
		require.NoError(t, err)
	},
	Encrypted: func(t *testing.T) (string, *x509.CertPool) {
		cert, key, trusted := certificate(t, t.TempDir())
		return testserver.StartEtcd(t, "--cert-file="+cert, "--key-file="+key).URL("jobs"), trusted
	},
}

func TestEtcd(t *testing.T) {
	testserver.Long(t) // etcd is built, which takes minutes on a new machine
	electtest.RunServer(t, coordinator)
}

// client returns a client for what a test does to a server.
func client(t *testing.T, a elect.Address) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + a.Hosts[0]}, DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestTheServerIsAskedAtTheStart gives credentials and paths that cannot be used.
func TestTheServerIsAskedAtTheStart(t *testing.T) {
	testserver.Long(t)
	server := testserver.StartEtcd(t)
	root := client(t, electtest.Address(t, server.URL("x")))
	_, err := root.UserAdd(t.Context(), "root", "r00t")
	require.NoError(t, err)
	_, err = root.UserGrantRole(t.Context(), "root", "root")
	require.NoError(t, err)
	_, err = root.RoleAdd(t.Context(), "jobs")
	require.NoError(t, err)
	_, err = root.RoleGrantPermission(t.Context(), "jobs", "/jobs/", clientv3.GetPrefixRangeEnd("/jobs/"), clientv3.PermissionType(clientv3.PermReadWrite))
	require.NoError(t, err)
	_, err = root.UserAdd(t.Context(), "scheduler", "secret")
	require.NoError(t, err)
	_, err = root.UserGrantRole(t.Context(), "scheduler", "jobs")
	require.NoError(t, err)
	_, err = root.AuthEnable(t.Context())
	require.NoError(t, err)

	at := func(login, path string) string { return strings.Replace(server.URL(path), "://", "://"+login, 1) }
	l, err := coordinator.Elector(t, at("scheduler:secret@", "jobs")).Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, l.Resign(t.Context()))
	for url, want := range map[string]string{
		at("scheduler:wrong-secret@", "jobs"): `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: .*invalid user ID or password`,
		at("nobody:secret@", "jobs"):          `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: `,
		at("", "jobs"):                        `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: .*user name is empty`,
		at("scheduler:secret@", "others"):     `^elector etcd://127.0.0.1:\d+/others: the user may not read and write below /others/: .*permission denied`,
	} {
		coordinator.RequireRefused(t, url, want)
	}
}

// TestTheServerIsKilled ends the leadership, and a later campaign wins on the server that returns.
func TestTheServerIsKilled(t *testing.T) {
	testserver.Long(t)
	server := testserver.StartEtcd(t)
	e := coordinator.Elector(t, server.URL("jobs"))
	l, err := e.Campaign(t.Context(), nil)
	require.NoError(t, err)
	server.Kill(t)
	<-l.Done()
	_, err = e.Campaign(t.Context(), nil)
	require.Error(t, err)
	server.Start(t)
	again, err := e.Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.Greater(t, again.Number(), l.Number())
	require.NoError(t, again.Resign(t.Context()))
}

// certificate writes a certificate for the loopback address, and returns its files and a pool that
// trusts it.
func certificate(t *testing.T, dir string) (cert, key string, trusted *x509.CertPool) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	secret, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	trusted = x509.NewCertPool()
	trusted.AddCert(server.Certificate())
	return cert, key, trusted
}
