package serve

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSpreadAndAdvertiseBelongToALeader(t *testing.T) {
	for line, args := range map[string][]string{
		`--spread is hash, must be none without --scheduling leader`:                 {"--spread=hash"},
		`--advertise is "http://a:1", must not be given without --scheduling leader`: {"--advertise=http://a:1"},
		`--advertise is "web-1:8080", must be http://HOST:PORT or https://HOST:PORT`: {"--scheduling=leader", "--advertise=web-1:8080"},
		`--advertise is "http://0.0.0.0:8080", must have the address of one machine`: {"--scheduling=leader", "--advertise=http://0.0.0.0:8080"},
	} {
		_, err := parseServe(t, args...).nodeOptions()
		require.EqualError(t, err, line)
	}
}

func TestWhatIsAdvertised(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8443}
	for want, args := range map[string][]string{
		"":                       {},
		"http://127.0.0.1:8443":  {"--scheduling=leader"},
		"https://web-1:8443":     {"--scheduling=leader", "--listen=web-1:8443", "--tls-cert=cert.pem"},
		"http://web-1.example:1": {"--scheduling=leader", "--listen=0.0.0.0:8443", "--advertise=http://web-1.example:1"},
	} {
		got, err := parseServe(t, args...).advertised(at)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
}
