package client

import (
	"net/http"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// HTTP follows no redirects: a redirect would carry the token to another host.
var HTTP = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

var trusted struct {
	mu   sync.Mutex // guards file, and HTTP.Transport, which is set once
	file string     // that HTTP trusts; empty means none
}

// TrustCA makes the calls of this process trust the certificate authorities in a file, in addition
// to the system's. An empty name changes nothing.
func TrustCA(file string) error {
	trusted.mu.Lock()
	defer trusted.mu.Unlock()
	if file == trusted.file {
		return nil // the connections of earlier calls are used again
	}
	config, err := access.ClientTLS(file)
	if err != nil {
		return command.Usagef("--tls-ca: %v", err)
	}
	if config != nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = config
		HTTP.Transport, trusted.file = transport, file
	}
	return nil
}
