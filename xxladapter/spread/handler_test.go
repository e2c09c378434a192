package spread

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

const token = "a token of the cluster"

// A site is a node that takes hints.
type site struct {
	t      *testing.T
	server *httptest.Server
	taken  []Hint
	err    error // what the next hint is answered with
}

// newSite starts a node with an access token; empty means none.
func newSite(t *testing.T, secret string) *site {
	s := &site{t: t}
	tokens := access.NewExecutors(secret, func(context.Context) ([]*xxladapter.Group, error) {
		return []*xxladapter.Group{{AppName: "pay-app", AccessToken: "pay-app-token"}}, nil
	})
	s.server = httptest.NewServer(NewHandler(HandlerOptions{
		Pages: access.NewPages(access.PagesOptions{Open: secret == "", Setting: "the hosts"}), Permits: tokens.Permits,
		Accept: func(_ context.Context, h Hint) error {
			if s.err == nil {
				s.taken = append(s.taken, h)
			}
			return s.err
		},
		Next: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "next "+r.URL.Path) }),
	}))
	t.Cleanup(s.server.Close)
	return s
}

// call sends a request, and returns the status and the text of the answer.
func (s *site) call(method, path, body string, header map[string]string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.server.URL+path, strings.NewReader(body))
	require.NoError(s.t, err)
	for name, value := range header {
		req.Header.Set(name, value)
	}
	if host := header["Host"]; host != "" {
		req.Host = host
	}
	resp, err := s.server.Client().Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	require.Equal(s.t, "nosniff", resp.Header.Get("X-Content-Type-Options"))
	return resp.StatusCode, strings.TrimSpace(string(text))
}

func bodyOf(t *testing.T, h Hint) string {
	data, err := encode(h)
	require.NoError(t, err)
	return string(data)
}

// TestHintsAreTakenUnderTheTokenOfTheClusterAlone checks that the path is closed to every other
// token, to a part of the token, and to the token in another header.
func TestHintsAreTakenUnderTheTokenOfTheClusterAlone(t *testing.T) {
	s := newSite(t, token)
	good := bodyOf(t, sample)
	for _, value := range []string{
		"", "Bearer", "Bearer ", token, "Bearer  " + token, "Bearer " + token + " ", "bearer " + token, "Basic " + token,
		"Bearer " + token[:len(token)-1], "Bearer " + token + "x", "Bearer pay-app-token", "Bearer " + access.DefaultToken, "Bearer " + strings.ToUpper(token),
	} {
		status, text := s.call("POST", Path, good, map[string]string{"Authorization": value})
		if value == "Bearer "+token+" " { // the server removes the space around a header
			require.Equal(t, http.StatusNoContent, status)
			continue
		}
		require.Equal(t, http.StatusUnauthorized, status, "%q", value)
		require.Equal(t, "the access token is wrong", text)
	}
	status, _ := s.call("POST", Path, good, map[string]string{"XXL-JOB-ACCESS-TOKEN": token})
	require.Equal(t, http.StatusUnauthorized, status, "it is no call of an executor")
	status, _ = s.call("POST", Path, "no hint", nil)
	require.Equal(t, http.StatusUnauthorized, status, "without a token no body is read")
	require.Len(t, s.taken, 1)
}

func TestRefusalsSayWhy(t *testing.T) {
	s := newSite(t, token)
	as := func(more ...string) map[string]string {
		header := map[string]string{"Authorization": "Bearer " + token, "Content-Type": "application/json"}
		for i := 0; i < len(more); i += 2 {
			header[more[i]] = more[i+1]
		}
		return header
	}
	good := bodyOf(t, sample)
	for _, c := range []struct {
		method, body string
		header       map[string]string
		err          error
		status       int
		text         string
	}{
		{"POST", good, as(), nil, http.StatusNoContent, ""},
		{"GET", "", as(), nil, http.StatusMethodNotAllowed, "the method must be POST"},
		{"PUT", good, as(), nil, http.StatusMethodNotAllowed, "the method must be POST"},
		{"POST", good, as("Sec-Fetch-Site", "cross-site"), nil, http.StatusForbidden, "cross-origin request detected from Sec-Fetch-Site header"},
		{"POST", strings.Repeat(" ", maxBody) + good, as(), nil, http.StatusRequestEntityTooLarge, "the body is too large"},
		{"POST", `{"fires":[1]}`, as(), nil, http.StatusBadRequest, "from must be the node and the term of a lease, to must be the node and the term of a lease"},
		{"POST", good, as(), xxladapter.Conflictf(errorrule.NodeNoLease,
			"this node holds no lease"), http.StatusConflict, "this node holds no lease"},
		{"POST", good, as(), ErrBusy, http.StatusServiceUnavailable, "spread: this node is taking other hints"},
		{"POST", good, as(), errors.New("secret of the database"), http.StatusServiceUnavailable, "the store cannot be read"},
	} {
		s.err = c.err
		status, text := s.call(c.method, Path, c.body, c.header)
		require.Equal(t, c.status, status, "%s %.60s", c.method, c.body)
		require.Equal(t, c.text, text)
	}
	require.Equal(t, []Hint{sample}, s.taken)
}

// TestWithoutATokenAPageReachesNoNode tries a page whose host name was rebound to this machine, and
// a form.
func TestWithoutATokenAPageReachesNoNode(t *testing.T) {
	s := newSite(t, "")
	good := bodyOf(t, sample)
	for _, header := range []map[string]string{
		{"Host": "evil.example.org", "Content-Type": "application/json"}, {"Content-Type": "text/plain"}, {"Origin": "https://evil.example.org"},
	} {
		status, _ := s.call("POST", Path, good, header)
		require.Equal(t, http.StatusForbidden, status, header)
	}
	require.Empty(t, s.taken)
	status, _ := s.call("POST", Path, good, map[string]string{"Content-Type": "application/json"})
	require.Equal(t, http.StatusNoContent, status)
}

func TestOtherPathsAreServedByOthers(t *testing.T) {
	s := newSite(t, token)
	for _, path := range []string{"/", "/api/v1/nodes", Path + "/", "/internal/v1"} {
		resp, err := http.Get(s.server.URL + path)
		require.NoError(t, err)
		text, err := io.ReadAll(resp.Body)
		require.NoError(t, errors.Join(err, resp.Body.Close()))
		require.Equal(t, "next "+path, string(text))
	}
	http.DefaultClient.CloseIdleConnections()
}

// patient returns a client whose timeout is long enough for a busy machine.
func patient(t *testing.T, token string, tls *tls.Config) *Client {
	c := NewClient(token, tls)
	c.http.Timeout = time.Minute
	t.Cleanup(c.Close)
	return c
}

func TestAClientSendsHints(t *testing.T) {
	s := newSite(t, token)
	c := patient(t, token, nil)
	require.NoError(t, c.Send(t.Context(), s.server.URL, sample))
	require.NoError(t, c.Send(t.Context(), s.server.URL+"/", sample))
	require.Equal(t, []Hint{sample, sample}, s.taken)
	s.err = xxladapter.Conflictf(errorrule.NodeNoLease, "this node\nholds no lease")
	require.EqualError(t, c.Send(t.Context(), s.server.URL, sample), `409 Conflict: "this node\nholds no lease"`)
	wrong := patient(t, "another", nil)
	require.EqualError(t, wrong.Send(t.Context(), s.server.URL, sample), `401 Unauthorized: "the access token is wrong"`)
}

// TestTheTokenFollowsNoRedirect checks that the token is not taken to another host.
func TestTheTokenFollowsNoRedirect(t *testing.T) {
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer s.Close()
	c := patient(t, token, nil)
	require.ErrorContains(t, c.Send(t.Context(), s.URL, sample), "307 Temporary Redirect")
	require.False(t, reached)
}

func TestAClientTrustsTheGivenAuthoritiesAndReachesNoLinkLocalAddress(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // about the handshake that fails
	s.StartTLS()
	defer s.Close()
	trusting := patient(t, token, s.Client().Transport.(*http.Transport).TLSClientConfig)
	require.NoError(t, trusting.Send(t.Context(), s.URL, sample))
	strict := patient(t, token, &tls.Config{MinVersion: tls.VersionTLS12})
	require.ErrorContains(t, strict.Send(t.Context(), s.URL, sample), "certificate")
	require.ErrorContains(t, strict.Send(t.Context(), "http://169.254.169.254", sample), "link-local")
}

// TestASilentNodeIsGivenUp checks that an answer a nanosecond before sendLimit counts, and that a
// silent node delays a sender by sendLimit.
func TestASilentNodeIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var takes time.Duration
		nodes := testserver.NewPipes()
		server := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			time.Sleep(takes)
			w.WriteHeader(http.StatusNoContent)
		})}
		go func() { _ = server.Serve(nodes) }() // it returns when the test closes it
		defer func() { require.NoError(t, server.Close()) }()
		c := NewClient(token, nil)
		defer c.Close()
		c.http.Transport.(*http.Transport).DialContext = nodes.Dial
		takes = sendLimit - 1
		require.NoError(t, c.Send(t.Context(), "http://node.example", sample))
		takes = time.Hour
		began := time.Now()
		require.ErrorIs(t, c.Send(t.Context(), "http://node.example", sample), context.DeadlineExceeded)
		require.Equal(t, sendLimit, time.Since(began))
		time.Sleep(takes) // until the node's handler has returned
	})
}
