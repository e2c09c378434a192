package client

import (
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// HTTP follows no redirects: a redirect would carry the token to another host.
var HTTP = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// TrustCA makes the calls of this process trust the certificate authorities in a file, in addition
// to the system's. An empty name changes nothing.
func TrustCA(file string) error {
	config, err := access.ClientTLS(file)
	if err != nil {
		return command.Usagef("--tls-ca: %v", err)
	}
	if config != nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = config
		HTTP.Transport = transport
	}
	return nil
}
