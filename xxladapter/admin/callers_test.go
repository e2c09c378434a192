package admin

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A noticingStore fails the test on a look-up of a credential that is not made for a user, and
// counts all look-ups.
type noticingStore struct {
	accounts.Store
	t     *testing.T
	asked atomic.Int64
}

func (s *noticingStore) Credential(ctx context.Context, digest string) (*xxladapter.Credential, *xxladapter.User, error) {
	s.asked.Add(1)
	assert.True(s.t, xxladapter.IsForUser(ctx), "a user waits for it")
	return s.Store.Credential(ctx, digest)
}

// TestSigningInGoesAheadOfBackgroundWork checks the look-ups that precede each call's handler.
func TestSigningInGoesAheadOfBackgroundWork(t *testing.T) {
	noticed := &noticingStore{t: t}
	s := siteWith(t, func(o *Options) { o.Accounts = accounts.New(noticed, nil) })
	noticed.Store = s.store
	session := s.people()
	status, answer, _ := s.doAs(session, "GET", "/api/v1/me", "")
	require.Equal(t, http.StatusOK, status, answer)
	status, answer = s.do("GET", "/api/v1/jobs", "xwt_none", "")
	require.Equal(t, http.StatusUnauthorized, status, answer)
	require.EqualValues(t, 2, noticed.asked.Load(), "one for each call")
}

// TestTheHeaderAuthorization checks that only the scheme Bearer carries a token.
func TestTheHeaderAuthorization(t *testing.T) {
	for header, want := range map[string]string{
		"Bearer some-token": "some-token", "Basic c29tZTp1c2Vy": "", "some-token": "", "": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		r.Header.Set("Authorization", header)
		require.Equal(t, want, api.Bearer(r), "%q", header)
	}
}

// TestBodiesOfUnknownCallersAreShort checks the limit for calls that need no sign-in.
func TestBodiesOfUnknownCallersAreShort(t *testing.T) {
	s := newSite(t)
	s.people()
	for path, body := range map[string]string{
		"session":       `{"name":"root","password":"%"}`,
		"session/first": `{"token":"t","name":"root","password":"%"}`,
	} {
		status, answer, _ := s.doAs("", "POST", "/api/v1/"+path, strings.Replace(body, "%", strings.Repeat("x", 16<<10), 1))
		require.Equal(t, http.StatusRequestEntityTooLarge, status, answer)
		require.Contains(t, answer, "request body is over 16384 bytes")
	}
}
