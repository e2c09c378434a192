package main

import (
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// apiHTTP follows no redirects: a redirect would carry the token to another host.
var apiHTTP = &http.Client{
	Timeout:       30 * time.Second,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// trustCA makes the calls of this process trust the certificate authorities in a file.
func trustCA(file string) error {
	config, err := access.ClientTLS(file)
	if err != nil {
		return usagef("--tls-ca: %v", err)
	}
	if config != nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.TLSClientConfig = config
		apiHTTP.Transport = transport
	}
	return nil
}
