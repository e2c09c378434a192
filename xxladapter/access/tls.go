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

// ServerTLS is the configuration of a server whose certificate chain and key are
// in files, both in PEM. A change of the files counts for connections from a second
// after it on. While they cannot be read, or do not belong together, the last
// ones that did are used. Empty names: nil.
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

// ClientTLS is the configuration of a client that trusts the authorities in a
// file, in PEM, beside those of the system. Empty: nil, which trusts the system's.
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

// certificateLook is how often the files of a certificate are looked at.
const certificateLook = time.Second

// certificateFiles is a certificate as it stands in two files.
type certificateFiles struct {
	cert, key string

	mu     sync.Mutex
	loaded *tls.Certificate
	looked time.Time
	states [2]fileState // of the files that loaded comes from
}

// A fileState tells a changed file from the one before.
type fileState struct {
	size     int64
	modified time.Time
}

func (f *certificateFiles) get(now time.Time) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.loaded != nil && now.Sub(f.looked) < certificateLook {
		return f.loaded, nil
	}
	f.looked = now
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

// kept is the last certificate that was good, or err.
func (f *certificateFiles) kept(err error) (*tls.Certificate, error) {
	if f.loaded == nil {
		return nil, err
	}
	return f.loaded, nil
}
