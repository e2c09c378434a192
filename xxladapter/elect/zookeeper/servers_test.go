package zookeeper

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// TestACertificateNeedsOnlyTheServersName connects to a server whose certificate has its name and
// not its IP address.
func TestACertificateNeedsOnlyTheServersName(t *testing.T) {
	certificate, trusted := named(t, "localhost")
	ln, err := tls.Listen("tcp", "localhost:0", &tls.Config{Certificates: []tls.Certificate{certificate}})
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	_, port, err := net.SplitHostPort(ln.Addr().String())
	require.NoError(t, err)
	a, err := elect.ParseAddress("zookeepers://localhost:" + port + "/a")
	require.NoError(t, err)
	a.TLS.RootCAs = trusted
	requireSpokenTo(t, a, ln)
}

// TestAServerWithoutAnAddressDoesNotHideTheOthers has one server whose name does not resolve, as
// that of a pod that is down.
func TestAServerWithoutAnAddressDoesNotHideTheOthers(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	requireSpokenTo(t, elect.Address{Hosts: []string{"never..resolves:2181", ln.Addr().String()}}, ln)
}

// requireSpokenTo opens a session, and requires that the server gets its first byte.
func requireSpokenTo(t *testing.T, a elect.Address, server net.Listener) {
	t.Helper()
	s, err := open(a)
	require.NoError(t, err)
	t.Cleanup(s.close)
	heard := make(chan struct{})
	go func() { // the listener's end ends it
		for {
			conn, err := server.Accept()
			if err != nil {
				return
			}
			n, _ := conn.Read(make([]byte, 1))
			_ = conn.Close()
			if n > 0 {
				close(heard)
				return
			}
		}
	}()
	select {
	case <-heard:
	case <-time.After(elect.ContactLimit):
		require.Fail(t, "the server was not spoken to")
	}
}

// named returns a certificate for a name alone, and a pool that trusts it.
func named(t *testing.T, name string) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	trusted := x509.NewCertPool()
	trusted.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, trusted
}
