package admin

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/argon2"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/accounts"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/users"
)

const rootPassword = "pass of root"

// people adds users: 1 is root, an administrator, with the token 1 and the sessions 2 and 3; 2 is
// reader, who may read group 1. It returns root's first session.
func (s *site) people() (session string) {
	s.t.Helper()
	ctx := s.t.Context()
	now := time.Now()
	for i, u := range []*xxladapter.User{
		{Name: "root", Password: weakHash(rootPassword), Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}},
		{Name: "reader", Grants: []xxladapter.Grant{granted(1, xxladapter.RoleViewer)}},
	} {
		id, err := s.store.CreateUser(ctx, u, false)
		require.NoError(s.t, err)
		require.Equal(s.t, int64(i+1), id)
	}
	for i, c := range []*xxladapter.Credential{
		{Kind: xxladapter.CredentialToken, Name: "ci", Digest: "of the token"},
		{Kind: xxladapter.CredentialSession, Digest: fmt.Sprintf("%x", sha256.Sum256([]byte("session of root")))},
		{Kind: xxladapter.CredentialSession, Digest: "of the other session"},
	} {
		c.UserID, c.Created, c.Used, c.Expires = 1, now, now, now.Add(time.Hour)
		id, err := s.store.CreateCredential(ctx, c)
		require.NoError(s.t, err)
		require.Equal(s.t, int64(i+1), id)
	}
	return "session of root"
}

// weakHash returns a hash of a password that is quick to check.
func weakHash(password string) string {
	salt := []byte("salt of the tests")
	sum := argon2.IDKey([]byte(password), salt, 1, 8, 1, 32)
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=8,t=1,p=1$%s$%s", argon2.Version, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

// pathIDs holds the id that a call's path gets in tests, if it is not 1.
var pathIDs = map[string]string{"/api/v1/me/sessions/{id}": "2", "/api/v1/users/{id}": "2"}

// pathFor returns the path of a call with ids of things that exist.
func pathFor(c api.Call) string {
	id := "1"
	if other, ok := pathIDs[c.Path]; ok {
		id = other
	}
	return pathParameter.ReplaceAllString(strings.ReplaceAll(c.Path, "{name}", "cn"), id)
}

// forUsers reports whether a call is about the user who makes it. The server may refuse such a call
// to a token of the settings.
func forUsers(c api.Call) bool {
	return strings.HasPrefix(c.Path, "/api/v1/me") || strings.HasPrefix(c.Path, "/api/v1/session") || strings.HasPrefix(c.Path, "/api/v1/tokens")
}

// doAs sends one request with the cookie of a session.
func (s *site) doAs(session, method, path, body string) (int, string, *http.Response) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	if session != "" {
		req.AddCookie(&http.Cookie{Name: users.CookieName, Value: session})
	}
	return s.send(req)
}

// rootVisit returns the visit of the user root with a session.
func rootVisit() *users.Visit {
	return &users.Visit{Bearer: &accounts.Bearer{
		User: &xxladapter.User{ID: 1, Name: "root"}, Credential: &xxladapter.Credential{ID: 2, Kind: xxladapter.CredentialSession},
	}}
}
