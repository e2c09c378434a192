package access

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// certificateOf writes the certificate of a test server and its key.
func certificateOf(t *testing.T) (cert, key string) {
	t.Helper()
	server := httptest.NewTLSServer(nil)
	defer server.Close()
	secret, err := x509.MarshalPKCS8PrivateKey(server.TLS.Certificates[0].PrivateKey)
	require.NoError(t, err)
	dir := t.TempDir()
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	require.NoError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600))
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), 0o600))
	return cert, key
}

func TestACertificateAndItsKeyGoTogether(t *testing.T) {
	cert, key := certificateOf(t)
	for _, pair := range [][2]string{{cert, ""}, {"", key}} {
		_, err := ServerTLS(pair[0], pair[1])
		require.EqualError(t, err, "TLS certificate and key go together, must both be given")
	}
	_, err := ServerTLS(key, cert)
	require.ErrorContains(t, err, "read TLS certificate")
	none, err := ServerTLS("", "")
	require.NoError(t, err)
	require.Nil(t, none)
}

// TestARenewedCertificateReplacesTheOld changes the files between two checks. Files that are broken
// or gone leave the last valid certificate in use.
func TestARenewedCertificateReplacesTheOld(t *testing.T) {
	cert, key := certificateOf(t)
	secret, err := os.ReadFile(key)
	require.NoError(t, err)
	files := &certificateFiles{cert: cert, key: key}
	now := time.Now()
	at := func(later time.Duration) *tls.Certificate {
		t.Helper()
		now = now.Add(later)
		got, err := files.get(now)
		require.NoError(t, err)
		return got
	}
	first := at(0)
	require.NoError(t, os.Chtimes(key, time.Time{}, now.Add(time.Hour)))
	require.Same(t, first, at(certificateCheck-1), "not checked yet")
	second := at(1)
	require.NotSame(t, first, second)
	require.Same(t, second, at(certificateCheck), "nothing has changed")

	require.NoError(t, os.WriteFile(key, []byte("half a file"), 0o600))
	require.Same(t, second, at(certificateCheck))
	require.NoError(t, os.Remove(key))
	require.Same(t, second, at(certificateCheck))
	require.NoError(t, os.WriteFile(key, secret, 0o600))
	require.NotSame(t, second, at(certificateCheck))

	_, err = (&certificateFiles{cert: cert, key: cert}).get(now)
	require.Error(t, err, "there was never a valid one")
}

// TestOldVersionsOfTLSAreRefused checks our servers and our clients.
func TestOldVersionsOfTLSAreRefused(t *testing.T) {
	cert, key := certificateOf(t)
	server, err := ServerTLS(cert, key)
	require.NoError(t, err)
	client, err := ClientTLS(cert)
	require.NoError(t, err)
	client.ServerName = "example.com" // a name of a test server's certificate
	old := func(c *tls.Config) *tls.Config {
		c = c.Clone()
		c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11
		return c
	}
	shake := func(server, client *tls.Config) error {
		theirs, ours := net.Pipe()
		defer theirs.Close()
		defer ours.Close()
		go func() { _ = tls.Server(theirs, server).HandshakeContext(t.Context()) }()
		return tls.Client(ours, client).HandshakeContext(t.Context())
	}
	require.NoError(t, shake(server, client))
	require.NoError(t, shake(old(server), old(client)))
	require.ErrorContains(t, shake(server, old(client)), "protocol version")
	require.ErrorContains(t, shake(old(server), client), "protocol version")
}

// TestOwnAuthoritiesAreTrustedBesideTheSystems checks that one client reaches executors with
// certificates of either kind.
func TestOwnAuthoritiesAreTrustedBesideTheSystems(t *testing.T) {
	cert, _ := certificateOf(t)
	client, err := ClientTLS(cert)
	require.NoError(t, err)
	both, err := x509.SystemCertPool()
	require.NoError(t, err)
	own, err := os.ReadFile(cert)
	require.NoError(t, err)
	require.True(t, both.AppendCertsFromPEM(own))
	require.True(t, both.Equal(client.RootCAs))

	empty := filepath.Join(t.TempDir(), "empty.pem")
	require.NoError(t, os.WriteFile(empty, nil, 0o600))
	_, err = ClientTLS(empty)
	require.ErrorContains(t, err, "has no certificate in PEM")
}
