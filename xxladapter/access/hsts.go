package access

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// StrictTransport returns a handler that tells browsers to use only https for this host, for a year
// from each answer. It leaves out localhost and loopback addresses, because the rule would also
// apply to other programs on other ports of the browser's machine.
func StrictTransport(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopbackHost(r.Host) {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackHost reports whether a Host header is localhost or a loopback address.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]")) // an address of IPv6 without a port
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}
