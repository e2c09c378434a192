package access

import (
	"net"
	"net/http"
	"net/netip"
)

// StrictTransport returns a handler that tells browsers to use https alone for this host, for a
// year from each answer. Names and addresses of the loopback interface are left out: there the rule
// would also hold for all other ports of the machine.
func StrictTransport(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopbackHost(r.Host) {
			w.Header().Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}

// loopbackHost reports whether a Host header names this machine for itself.
func loopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
