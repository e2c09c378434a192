package access

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCheckURL checks that CheckURL refuses each spelling of a forbidden address that the standard
// library would dial without a lookup.
func FuzzCheckURL(f *testing.F) {
	for _, seed := range []string{
		"http://169.254.169.254/", "http://[::ffff:169.254.169.254]:80", "http://0.0.0.0", "http://[fe80::1%25eth0]:1/", "http://10.0.0.5:8080/x",
		"https://h:99999/", "http://1.2.3.4:0x50/", "http://[::]", "http://%31.2.3.4/", "http://a@b/", "http://10.0.0.7:9999/",
	} {
		f.Add(seed)
	}
	a := new(Addresses)
	a.Serve(&net.TCPAddr{IP: net.IPv4(10, 0, 0, 5), Port: 8080})
	f.Fuzz(func(t *testing.T, text string) {
		if a.CheckURL("f", text) != nil {
			return
		}
		u, err := url.Parse(strings.TrimSuffix(text, "/") + "/run") // as it is called
		require.NoError(t, err)
		require.True(t, strings.HasSuffix(u.Path, "/run"))
		require.Empty(t, u.RawQuery)
		ip, err := netip.ParseAddr(u.Hostname())
		if err != nil {
			return // a name, which is checked when it is dialled
		}
		ip = ip.Unmap()
		require.False(t, ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast(), text)
		require.False(t, ip == netip.MustParseAddr("10.0.0.5") && u.Port() == "8080", text)
	})
}
