package api

import (
	"net"
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// AddressOf returns the IP address of the connection.
func AddressOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	return host
}

// Bearer returns the token that a call carries in either of two headers.
func Bearer(r *http.Request) string {
	if token := r.Header.Get(wire.HeaderToken); token != "" {
		return token
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") { // another scheme, such as a proxy's own
		return ""
	}
	return token
}

// CheckTokens refuses a call with two tokens in one header: nobody could say which of them counts.
func CheckTokens(r *http.Request) error {
	for _, name := range []string{wire.HeaderToken, "Authorization"} {
		if err := checkOnce(name, r.Header.Values(name)); err != nil {
			return err
		}
	}
	return nil
}
