package etcd_test

import (
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net"
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

func addressOf(t *testing.T, url string) elect.Address {
	t.Helper()
	a, err := elect.ParseAddress(url)
	require.NoError(t, err)
	return a
}

func open(t *testing.T, url string) *etcd.Elector {
	t.Helper()
	e, err := etcd.New(t.Context(), addressOf(t, url), "test")
	require.NoError(t, err)
	return e
}

func TestContract(t *testing.T) {
	testserver.Long(t) // etcd is built, which takes minutes on a new machine
	electtest.Run(t, func(t *testing.T) electtest.Place {
		proxy := testserver.NewProxy(t, testserver.Etcd(t))
		return electtest.Place{
			Elector: func() elect.Elector { return open(t, proxy.URL()) },
			Cut:     func() { proxy.HoldNew(true); proxy.Silence() },
			Heal:    func() { proxy.HoldNew(false); proxy.Reset() },
		}
	})
}

// client returns a client for what a test does to a server.
func client(t *testing.T, url, user, password string) *clientv3.Client {
	t.Helper()
	c, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + addressOf(t, url).Hosts[0]}, Username: user, Password: password,
		DialTimeout: 5 * time.Second, Logger: zap.NewNop()})
	require.NoError(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// TestAnOperatorDeletesTheLeadersKey has the next process elected.
func TestAnOperatorDeletesTheLeadersKey(t *testing.T) {
	testserver.Long(t)
	url := testserver.Etcd(t)
	l, err := open(t, url).Campaign(t.Context(), nil)
	require.NoError(t, err)
	_, err = client(t, url, "", "").Delete(t.Context(), addressOf(t, url).Path, clientv3.WithPrefix())
	require.NoError(t, err)
	select {
	case <-l.Done():
	case <-time.After(elect.SessionLife / 2):
		t.Fatal("it leads on")
	}
	next, err := open(t, url).Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, next.Resign(t.Context()))
}

// TestTheServerIsAskedAtTheStart gives credentials, paths and addresses that cannot be used.
func TestTheServerIsAskedAtTheStart(t *testing.T) {
	testserver.Long(t)
	server := testserver.StartEtcd(t)
	root := client(t, server.URL("x"), "", "")
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
	l, err := open(t, at("scheduler:secret@", "jobs")).Campaign(t.Context(), nil)
	require.NoError(t, err)
	require.NoError(t, l.Resign(t.Context()))
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, silent.Close())
	for url, want := range map[string]string{
		at("scheduler:wrong-secret@", "jobs"):        `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: .*invalid user ID or password`,
		at("nobody:secret@", "jobs"):                 `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: `,
		at("", "jobs"):                               `^elector etcd://127.0.0.1:\d+/jobs refuses the credentials: .*user name is empty`,
		at("scheduler:secret@", "others"):            `^elector etcd://127.0.0.1:\d+/others: the user may not read and write below /others/: .*permission denied`,
		"etcd://" + silent.Addr().String() + "/jobs": `^elector etcd://127.0.0.1:\d+/jobs does not answer: dial tcp .* connection refused$`,
	} {
		_, err := etcd.New(t.Context(), addressOf(t, url), "test")
		require.Error(t, err, url)
		require.Regexp(t, want, err.Error())
		require.NotContains(t, err.Error(), "secret")
		require.NotContains(t, err.Error(), "\n")
	}
}

// TestTLS has a server with a certificate that this test alone trusts.
func TestTLS(t *testing.T) {
	testserver.Long(t)
	dir := t.TempDir()
	cert, key, trusted := certificate(t, dir)
	server := testserver.StartEtcd(t, "--cert-file="+cert, "--key-file="+key)
	a := addressOf(t, server.URL("jobs"))
	require.Equal(t, "etcds", a.String()[:5])
	_, err := etcd.New(t.Context(), a, "test")
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	a.TLS.RootCAs = trusted
	e, err := etcd.New(t.Context(), a, "test")
	require.NoError(t, err)
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

	plain := a
	plain.TLS = nil
	_, err = etcd.New(t.Context(), plain, "test")
	require.ErrorContains(t, err, fmt.Sprintf("elector %s cannot be used", plain))
}

// certificate writes a certificate for the loopback address, and returns who trusts it.
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
