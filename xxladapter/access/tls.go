package access

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"
)

// ServerTLS returns the configuration of a server whose certificate chain and key are in two files
// in PEM. A change of the files takes effect on new connections within a second. While the files
// cannot be read or do not match, the last valid certificate is used. If both names are empty,
// ServerTLS returns nil.
func ServerTLS(certFile, keyFile string) (*tls.Config, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	if certFile == "" || keyFile == "" {
		return nil, errors.New("TLS certificate and key go together, must both be given")
	}
	files := &certificateFiles{cert: certFile, key: keyFile}
	if _, err := files.get(time.Now()); err != nil {
		return nil, fmt.Errorf("read TLS certificate: %w", err)
	}
	return &tls.Config{
		MinVersion:     tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return files.get(time.Now()) },
	}, nil
}

// ClientTLS returns the configuration of a client that trusts the certificate authorities in a file
// in PEM, in addition to the system's. If the name is empty it returns nil, which trusts only the
// system's.
func ClientTLS(caFile string) (*tls.Config, error) {
	if caFile == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, fmt.Errorf("read TLS authorities: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("read TLS authorities: %s has no certificate in PEM", caFile)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: pool}, nil
}

// certificateCheck is the pause between two checks of the files of a certificate.
const certificateCheck = time.Second

// certificateFiles is a certificate that is kept in two files.
type certificateFiles struct {
	cert, key string

	mu      sync.Mutex // guards the fields below
	loaded  *tls.Certificate
	checked time.Time
	states  [2]fileState // of cert and key, when loaded was read
}

// A fileState distinguishes a changed file from its former version.
type fileState struct {
	size     int64
	modified time.Time
}

func (f *certificateFiles) get(now time.Time) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.loaded != nil && now.Sub(f.checked) < certificateCheck {
		return f.loaded, nil
	}
	f.checked = now
	var states [2]fileState
	for i, name := range []string{f.cert, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return f.kept(err)
		}
		states[i] = fileState{info.Size(), info.ModTime()}
	}
	if f.loaded != nil && states == f.states {
		return f.loaded, nil
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return f.kept(err)
	}
	f.loaded, f.states = &pair, states
	return f.loaded, nil
}

// kept returns the last valid certificate, or err if there is none.
//
// REQUIRES: f.mu is held.
func (f *certificateFiles) kept(err error) (*tls.Certificate, error) {
	if f.loaded == nil {
		return nil, err
	}
	return f.loaded, nil
}
