package access_test

import (
	"errors"
	"net"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

func TestOwnURL(t *testing.T) {
	at := &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8080}
	for listen, want := range map[string]string{
		"127.0.0.1:0": "http://127.0.0.1:8080", "web-1:8080": "http://web-1:8080", "[::1]:8080": "http://[::1]:8080",
	} {
		got, err := access.OwnURL(listen, at, false)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	got, err := access.OwnURL("web-1:8080", at, true)
	require.NoError(t, err)
	require.Equal(t, "https://web-1:8080", got)
	for _, listen := range []string{"0.0.0.0:8080", "[::]:8080", ":8080"} {
		got, err := access.OwnURL(listen, at, false)
		if errors.Is(err, access.ErrNoInterface) {
			t.Skip("this machine has only a loopback interface")
		}
		require.NoError(t, err)
		u, err := url.Parse(got)
		require.NoError(t, err)
		ip := net.ParseIP(u.Hostname())
		require.NotNil(t, ip)
		require.False(t, ip.IsLoopback() || ip.IsUnspecified() || ip.IsLinkLocalUnicast())
		require.Equal(t, "8080", u.Port())
	}
	_, err = access.OwnURL("web-1", at, false)
	require.Error(t, err)
}

func TestCheckBase(t *testing.T) {
	for _, good := range []string{"http://web-1:8080", "https://web-1.example", "http://10.0.0.7:8080/", "http://[fd00::7]:8080"} {
		require.NoError(t, access.CheckBase("--advertise", good))
	}
	for _, bad := range []string{
		"", "web-1:8080", "10.0.0.7", "ftp://web-1", "http://", "http://u:p@web-1:8080", "http://web-1:8080/x", "http://web-1?", "http://web-1#x",
		"http://" + strings.Repeat("n", 250), "http://web-1:eight",
	} {
		err := access.CheckBase("--advertise", bad)
		require.ErrorContains(t, err, "must be http://HOST:PORT or https://HOST:PORT", bad)
		require.NotContains(t, err.Error(), "\n")
	}
	for _, bad := range []string{"http://0.0.0.0:8080", "http://[::]:8080"} {
		require.ErrorContains(t, access.CheckBase("--advertise", bad), "must have the address of one machine", bad)
	}
}
