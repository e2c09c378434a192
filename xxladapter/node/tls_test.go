package node

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
)

// writeCertificate writes a certificate for loopback, which is its own authority.
func writeCertificate(t *testing.T, dir, name string) (cert, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

// A whole trip over TLS: the executor registers, is handed a run, and reports.
func TestATripOverTLS(t *testing.T) {
	cert, key := writeCertificate(t, t.TempDir(), "scheduler")
	theirCert, theirKey := writeCertificate(t, t.TempDir(), "executor")
	const token = "a token of executors"
	r := runNode(t, Options{AccessToken: token, TLSCert: cert, TLSKey: key, TLSCA: theirCert})
	url := strings.Replace(r.url, "http://", "https://", 1)
	e, err := executor.New(executor.Options{
		Admins: []string{url}, AppName: "tls-app", AccessToken: token, Listen: "127.0.0.1:0",
		TLSCert: theirCert, TLSKey: theirKey, TLSCA: cert,
		DataDir: t.TempDir(), NoSync: true, StopGrace: -1, Logger: slog.New(slog.DiscardHandler),
	})
	require.NoError(t, err)
	require.NoError(t, e.Handle("h", func(_ context.Context, run *executor.Run) error {
		run.SetResult(200, "over TLS")
		return nil
	}))
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.NoError(t, <-ended)
	})
	<-e.Ready()
	require.True(t, strings.HasPrefix(e.Addr(), "https://127.0.0.1:"), e.Addr())
	group, err := r.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "tls-app", Title: "tls"})
	require.NoError(t, err)
	within(t, "the registration", func() bool {
		g, err := r.store.Group(t.Context(), group)
		return err == nil && len(g.Addresses) == 1 && g.Addresses[0] == e.Addr()
	})
	job := r.job(group, nil)
	r.trigger(job)
	within(t, "the result over TLS", func() bool {
		logs, err := r.store.Logs(t.Context(), xxladapter.LogFilter{JobID: job})
		return err == nil && len(logs) == 1 && logs[0].HandleMsg == "over TLS"
	})

	_, err = http.Get(url + "/healthz")
	require.ErrorContains(t, err, "certificate", "nobody trusts it unasked")
}

// A renewed certificate is used without a restart.
func TestARenewedCertificateIsServed(t *testing.T) {
	dir := t.TempDir()
	cert, key := writeCertificate(t, dir, "first")
	r := runNode(t, Options{TLSCert: cert, TLSKey: key})
	served := func() string {
		conn, err := tls.Dial("tcp", strings.TrimPrefix(r.url, "http://"), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			return err.Error()
		}
		defer conn.Close()
		return conn.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	require.Equal(t, "first", served())
	writeCertificate(t, dir, "second")
	within(t, "the new certificate", func() bool { return served() == "second" })
}

func TestTLSFilesAreChecked(t *testing.T) {
	cert, key := writeCertificate(t, t.TempDir(), "one")
	_, other := writeCertificate(t, t.TempDir(), "two")
	for _, opts := range []Options{{TLSCert: cert}, {TLSKey: key}, {TLSCert: cert, TLSKey: other}, {TLSCert: "none.pem", TLSKey: key}, {TLSCA: key}, {TLSCA: "none.pem"}} {
		opts.Store = refusingNothing{}
		_, err := New(opts)
		require.ErrorContains(t, err, "node: Options.TLS")
		_, err = executor.New(executor.Options{TLSCert: opts.TLSCert, TLSKey: opts.TLSKey, TLSCA: opts.TLSCA, Listen: "127.0.0.1:0"})
		require.ErrorContains(t, err, "executor: Options.TLS")
	}
	config, err := access.ServerTLS("", "")
	require.NoError(t, err)
	require.Nil(t, config)
}

// refusingNothing is a store that nobody asks.
type refusingNothing struct{ xxladapter.Store }
