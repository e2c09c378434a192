package access

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnotherNameMeansARebindingPage(t *testing.T) {
	for _, tt := range []struct {
		listen    string
		hosts     []string
		good, bad string
	}{
		{"127.0.0.1:8080", nil,
			"127.0.0.1:8080 127.0.0.1 127.9.9.9:1 localhost LOCALHOST:8091 localhost. [::1]:8080 [::1] [::ffff:127.0.0.1]:1",
			"evil.example evil.example:8080 localhost.evil.example 127.0.0.1.nip.io:8080 10.0.0.5:8080 0x7f000001 [::2]:8080 @ :8080"},
		{"localhost:8080", nil, "localhost:8080 127.0.0.1:8080", "evil.example"},
		// A name, an address, all addresses.
		{"tower:8080", nil, "tower:8080 TOWER localhost:1", "evil.example 10.0.0.5:8080"},
		{"10.0.0.5:8080", nil, "10.0.0.5:8080 [::ffff:10.0.0.5] 127.0.0.1:8080", "evil.example 10.0.0.6:8080"},
		{":9999", nil, "10.0.0.5:8080 [2001:db8::7]:1 localhost", "evil.example tower"},
		{"0.0.0.0:9999", nil, "10.0.0.5:8080", "evil.example"},
		{"[::]:9999", nil, "10.0.0.5:8080", "evil.example"},
		// Additional names.
		{"127.0.0.1:8080", []string{"jobs.example.org", "10.0.0.7", "[2001:db8::7]:80"},
			"jobs.example.org JOBS.example.org:443 10.0.0.7:9999 [2001:db8::7]", "example.org x.jobs.example.org 10.0.0.8"},
	} {
		p := NewPages(PagesOptions{Open: true, Listen: tt.listen, Hosts: tt.hosts, Setting: "--allow-host"})
		for host := range strings.FieldsSeq(tt.good) {
			require.NoError(t, p.Check(request(host, nil)), "%s on %s", host, tt.listen)
		}
		for host := range strings.FieldsSeq(tt.bad) {
			require.ErrorContains(t, p.Check(request(host, nil)), "in --allow-host", "%s on %s", host, tt.listen)
			require.NoError(t, NewPages(PagesOptions{Listen: tt.listen}).Check(request(host, nil)), "with a token no name matters")
		}
	}
	p := NewPages(PagesOptions{Open: true, Listen: "127.0.0.1:8080", Setting: "s"})
	require.NoError(t, p.Check(request("", nil)), "no browser leaves it out")
	reading := request("evil.example", nil)
	reading.Method = http.MethodGet
	require.Error(t, p.Check(reading))
}

func TestPagesOfOtherSites(t *testing.T) {
	for _, open := range []bool{true, false} {
		p := NewPages(PagesOptions{Open: open, Listen: "127.0.0.1:8080", Setting: "s"})
		require.Error(t, p.Check(request("127.0.0.1:8080", map[string]string{"Sec-Fetch-Site": "cross-site"})))
		require.Error(t, p.Check(request("127.0.0.1:8080", map[string]string{"Origin": "http://evil.example"})))
		require.NoError(t, p.Check(request("127.0.0.1:8080", map[string]string{"Origin": "http://127.0.0.1:8080"})))
	}
}

// TestAFormCanSendJSONAsPlainText tries content types: Java peers send
// application/json;charset=UTF-8, curl and others send what forms do, and some send none.
func TestAFormCanSendJSONAsPlainText(t *testing.T) {
	p := NewPages(PagesOptions{Open: true, Listen: "127.0.0.1:8080", Setting: "s"})
	for _, kind := range []string{"text/plain", "text/plain;charset=UTF-8", "Text/Plain; charset=utf-8"} {
		r := request("127.0.0.1:8080", map[string]string{"Content-Type": kind})
		require.EqualError(t, p.Check(r), "the Content-Type is text/plain, must be application/json")
		require.NoError(t, NewPages(PagesOptions{}).Check(r))
	}
	for _, kind := range []string{"application/json;charset=UTF-8", "application/json", "application/x-www-form-urlencoded", "", "nonsense;;"} {
		require.NoError(t, p.Check(request("127.0.0.1:8080", map[string]string{"Content-Type": kind})), kind)
	}
}

func request(host string, header map[string]string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/run", strings.NewReader("{}"))
	r.Host = host
	for k, v := range header {
		r.Header.Set(k, v)
	}
	return r
}

func TestSecretsAreNeitherWeakNorShared(t *testing.T) {
	secret := func(setting, token string) Secret { return Secret{Setting: setting, Token: token} }
	const outside, inside = "0.0.0.0:8080", "127.0.0.1:8080"
	for _, tt := range []struct {
		addr   string
		access string
		others []Secret
		want   string
	}{
		{outside, "a", nil, "--access-token has 1 bytes, must have at least 8 to listen on 0.0.0.0:8080"},
		{outside, "12345678", []Secret{secret("--read-token", "1234567")}, "--read-token has 7 bytes, must have at least 8 to listen on 0.0.0.0:8080"},
		{outside, "12345678", []Secret{secret("--operator-token", "")}, "--operator-token has 0 bytes, must have at least 8 to listen on 0.0.0.0:8080"},
		{inside, "x", []Secret{secret("--operator-token", "x")}, "--operator-token is the same as --access-token, must be a different secret"},
		{inside, "", []Secret{secret("--operator-token", "o"), secret("--read-token", "r"), secret("--read-token", "o")},
			"--read-token is the same as --operator-token, must be a different secret"},
		{outside, "12345678", []Secret{secret("--operator-token", "123456789"), secret("--operator-token", "123456789")}, ""},
		{inside, "", []Secret{secret("--operator-token", "")}, ""},
		{inside, "a", nil, ""},
	} {
		err := CheckListener(tt.addr, true, secret("--access-token", tt.access), tt.others...)
		if tt.want == "" {
			require.NoError(t, err)
		} else {
			require.EqualError(t, err, tt.want)
		}
	}
}
