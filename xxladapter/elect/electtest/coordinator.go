package electtest

import (
	"context"
	"crypto/x509"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// A Coordinator is a kind of server, together with the package whose electors use it.
type Coordinator struct {
	// New returns the elector of one more process. It fails if the server cannot be used.
	New func(ctx context.Context, a elect.Address) (elect.Elector, error)
	// Open returns the URL of a place that only this test uses.
	Open func(t testing.TB) string
	// Delete deletes what processes have stored at a place, as an operator might.
	Delete func(t *testing.T, at elect.Address)
	// Encrypted returns the URL of a place behind TLS, and the authorities that its certificate
	// needs.
	Encrypted func(t *testing.T) (url string, trusted *x509.CertPool)
}

// RunServer runs the suite of [Run] on a coordinator, and what every server has to pass beside it.
func RunServer(t *testing.T, c Coordinator) {
	t.Run("Contract", func(t *testing.T) { Run(t, c.place) })
	for name, test := range map[string]func(*testing.T, Coordinator){
		"AnOperatorDeletesTheLeader": deleted,
		"APathContinuesAnother":      nested,
		"AServerIsSilent":            silent,
		"NobodyListens":              nobody,
		"TLS":                        encrypted,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

// place returns a place whose processes reach the server through a network that can be cut.
func (c Coordinator) place(t *testing.T) Place {
	proxy := testserver.NewProxy(t, c.Open(t))
	return Place{
		Elector: func() elect.Elector { return c.Elector(t, proxy.URL()) },
		Cut:     func() { proxy.HoldNew(true); proxy.Silence() },
		Heal:    func() { proxy.HoldNew(false); proxy.Reset() },
	}
}

// Elector returns the elector of one more process at a URL.
func (c Coordinator) Elector(t *testing.T, url string) elect.Elector {
	t.Helper()
	e, err := c.New(t.Context(), Address(t, url))
	require.NoError(t, err)
	return e
}

// Address parses a URL.
func Address(t *testing.T, url string) elect.Address {
	t.Helper()
	a, err := elect.ParseAddress(url)
	require.NoError(t, err)
	return a
}

// RequireRefused checks that New fails at a URL with one line that matches a pattern, and that the
// line does not contain the password "secret".
func (c Coordinator) RequireRefused(t *testing.T, url, pattern string) {
	t.Helper()
	_, err := c.New(t.Context(), Address(t, url))
	require.Error(t, err, url)
	require.Regexp(t, pattern, err.Error())
	require.NotContains(t, err.Error(), "secret")
	require.NotContains(t, err.Error(), "\n")
}

// deleted checks that deleting what is stored ends the leadership soon, and that another process
// can be elected.
func deleted(t *testing.T, c Coordinator) {
	url := c.Open(t)
	l := lead(t, c.Elector(t, url))
	began := time.Now()
	c.Delete(t, Address(t, url))
	requireOver(t, l)
	require.Less(t, time.Since(began), elect.SessionLife/2, "it leads on")
	require.NoError(t, lead(t, c.Elector(t, url)).Resign(t.Context()))
}

// nested checks that a place does not depend on one whose path continues its own.
func nested(t *testing.T, c Coordinator) {
	url := c.Open(t)
	below := lead(t, c.Elector(t, url+"/below"))
	l := lead(t, c.Elector(t, url))
	requireLeads(t, below)
	require.NoError(t, l.Resign(t.Context()))
	require.NoError(t, below.Resign(t.Context()))
}

// silent checks that New gives up on a server that accepts connections and answers nothing.
func silent(t *testing.T, c Coordinator) {
	began := time.Now()
	c.RequireRefused(t, scheme(t, c)+"://"+listen(t).Addr().String()+"/a", `^elector \w+://127\.0\.0\.1:\d+/a `)
	require.Less(t, time.Since(began), elect.ContactLimit+3*time.Second)
}

// nobody checks the error of New for a port on which no server listens.
func nobody(t *testing.T, c Coordinator) {
	c.RequireRefused(t, scheme(t, c)+"://"+testserver.Refuses+"/a",
		`^elector \w+://127\.0\.0\.1:\d+/a does not answer: dial tcp .* connection refused$`)
}

func scheme(t *testing.T, c Coordinator) string { return Address(t, c.Open(t)).Scheme }

func listen(t *testing.T) net.Listener {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return ln
}

// encrypted checks that New fails with an untrusted certificate, and without TLS at a server behind
// TLS, and that processes are elected once the certificate is trusted.
func encrypted(t *testing.T, c Coordinator) {
	url, trusted := c.Encrypted(t)
	a := Address(t, url)
	require.Equal(t, a.Scheme+"s://", a.String()[:len(a.Scheme)+4])
	_, err := c.New(t.Context(), a)
	require.ErrorContains(t, err, "certificate signed by unknown authority")
	plain := a
	plain.TLS = nil
	_, err = c.New(t.Context(), plain)
	require.ErrorContains(t, err, "elector "+plain.String())
	a.TLS.RootCAs = trusted
	e, err := c.New(t.Context(), a)
	require.NoError(t, err)
	first := lead(t, e)
	require.NoError(t, first.Resign(t.Context()))
	again := lead(t, e)
	require.Greater(t, again.Number(), first.Number())
	require.NoError(t, again.Resign(t.Context()))
}
