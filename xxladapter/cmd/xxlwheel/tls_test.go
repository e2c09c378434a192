package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestServeOverTLS checks that scheduler, executor and command line speak TLS with a private
// certificate authority.
func TestServeOverTLS(t *testing.T) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private)
	require.NoError(t, err)
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	require.NoError(t, err)
	cert := writeFile(t, string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	key := writeFile(t, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret})))

	serve := start(t, "xxlwheel", "serve", "--listen", "127.0.0.1:0", "--store", "sqlite:"+t.TempDir()+"/x.db",
		"--tls-cert", cert, "--tls-key", key, "--tls-ca", cert)
	_, rest, _ := strings.Cut(serve.line("serves on https://"), "serves on ")
	server, _, _ := strings.Cut(rest, ",")
	executor := start(t, "xxlwheel", "executor", "--admin", server, "--app", "tls-app", "--listen", "127.0.0.1:0", "--data-dir", t.TempDir(),
		"--tls-cert", cert, "--tls-key", key, "--tls-ca", cert)
	executor.line("accepts runs at https://")
	id := strings.TrimSpace(mustCLI(t, "job", "--server", server, "--tls-ca", cert, "add", "--name", "n", "--app", "tls-app", "--handler", "demoJobHandler"))
	require.Equal(t, "1", id)
}
