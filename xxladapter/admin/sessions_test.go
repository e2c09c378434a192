package admin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/users"
)

// cookieOf returns the session's cookie that an answer sets, or nil.
func cookieOf(resp *http.Response) *http.Cookie {
	for _, c := range resp.Cookies() {
		if strings.HasSuffix(c.Name, users.CookieName) {
			return c
		}
	}
	return nil
}

func TestASessionFromLoginToLogout(t *testing.T) {
	s := newSite(t)
	s.people()
	status, body, resp := s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"pass of root"}`)
	require.Equal(t, http.StatusOK, status, body)
	require.Contains(t, body, `"kind":"user","name":"root","grants":[{"jobGroup":0,"role":"admin"}]`)
	c := cookieOf(resp)
	require.Equal(t, users.CookieName, c.Name, "the connection is not encrypted")
	require.True(t, c.HttpOnly && !c.Secure)
	require.Equal(t, http.SameSiteLaxMode, c.SameSite)
	require.Len(t, c.Value, 43, "256 bits")
	require.NotContains(t, body, c.Value)

	status, body, _ = s.doAs(c.Value, "POST", "/api/v1/groups", `{"appName":"some-app"}`)
	require.Equal(t, http.StatusOK, status, body)
	status, body, _ = s.doAs(c.Value, "GET", "/api/v1/me", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"id":1,"name":"root","grants":[{"jobGroup":0,"role":"admin"}],"hasPassword":true}`, body)

	status, body, resp = s.doAs(c.Value, "DELETE", "/api/v1/session", "")
	require.Equal(t, http.StatusOK, status, body)
	require.Negative(t, cookieOf(resp).MaxAge)
	status, body, _ = s.doAs(c.Value, "GET", "/api/v1/jobs", "")
	require.Equal(t, http.StatusUnauthorized, status)
	require.Contains(t, body, "the session has ended")
	status, body, _ = s.doAs(c.Value, "GET", "/api/v1/session", "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"grants":[],"secure":false,"setup":false}`, body)
}

// TestTheCookieOfAnEncryptedConnection checks the prefix that keeps other hosts from setting it.
func TestTheCookieOfAnEncryptedConnection(t *testing.T) {
	s := newSite(t)
	s.people()
	req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+"/api/v1/session", strings.NewReader(`{"name":"root","password":"pass of root"}`))
	require.NoError(t, err)
	req.Header.Set("X-Forwarded-Proto", "https")
	_, body, resp := s.send(req)
	c := cookieOf(resp)
	require.Equal(t, "__Host-xxlwheel_session", c.Name)
	require.True(t, c.Secure && c.HttpOnly)
	require.Equal(t, "/", c.Path)
	require.Empty(t, c.Domain)
	require.Contains(t, body, `"secure":true`)
}

// A late body arrives after something else has happened.
type late struct {
	io.Reader
	before func()
}

func (l late) Read(to []byte) (int, error) {
	l.before()
	return l.Reader.Read(to)
}

// TestRightsAreThoseAfterTheBodyHasArrived checks that rights that were lost while a body was on
// its way do not count.
func TestRightsAreThoseAfterTheBodyHasArrived(t *testing.T) {
	for _, tt := range []struct {
		name   string
		lose   func(s *site) error
		status int
	}{
		{"nothing", func(*site) error { return nil }, http.StatusOK},
		{"the session", func(s *site) error { return s.store.RemoveCredential(t.Context(), 1, 2) }, http.StatusUnauthorized},
		{"the role", func(s *site) error {
			return s.store.UpdateUser(t.Context(), 1, xxladapter.UserChange{Grants: &[]xxladapter.Grant{granted(0, xxladapter.RoleViewer)}})
		}, http.StatusForbidden},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			session := s.people()
			_, err := s.store.CreateUser(t.Context(), &xxladapter.User{
				Name: "second", Password: weakHash("pass"), Grants: []xxladapter.Grant{granted(0, xxladapter.RoleAdmin)},
			}, false) // one administrator has to remain
			require.NoError(t, err)
			body := late{strings.NewReader(`{"appName":"some-app"}`), sync.OnceFunc(func() { require.NoError(t, tt.lose(s)) })}
			r := httptest.NewRequestWithContext(t.Context(), "POST", "/api/v1/groups", body)
			r.AddCookie(&http.Cookie{Name: users.CookieName, Value: session})
			answer := httptest.NewRecorder()
			s.server.ServeHTTP(answer, r)
			require.Equal(t, tt.status, answer.Code, answer.Body)
		})
	}
}

// TestASessionIsNoHelpToOtherSites checks that a page of another site cannot use a session, even if
// the browser sends its cookie.
func TestASessionIsNoHelpToOtherSites(t *testing.T) {
	s := newSite(t)
	session := s.people()
	for header, value := range map[string]string{"Origin": "https://evil.example.org", "Sec-Fetch-Site": "cross-site"} {
		for _, path := range []string{"/api/v1/groups", "/api/v1/session", "/api/v1/users"} {
			req, err := http.NewRequestWithContext(t.Context(), "POST", s.url+path, strings.NewReader(goodBodies["POST "+path]))
			require.NoError(t, err)
			req.AddCookie(&http.Cookie{Name: users.CookieName, Value: session})
			req.Header.Set(header, value)
			status, body, resp := s.send(req)
			require.Equal(t, http.StatusForbidden, status, "%s: %s", path, body)
			require.Nil(t, cookieOf(resp), "nobody is signed in by another site either")
		}
	}
}

// TestLoopbackIsOpenUntilThereIsAUser checks a server without tokens.
func TestLoopbackIsOpenUntilThereIsAUser(t *testing.T) {
	s := siteWith(t, func(o *Options) { o.AccessToken = "" })
	status, body, _ := s.doAs("", "GET", "/api/v1/session", "")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, body, `"kind":"open"`)
	status, body, _ = s.doAs("", "POST", "/api/v1/users", `{"name":"root","password":"pass of root","grants":[{"jobGroup":0,"role":"admin"}]}`)
	require.Equal(t, http.StatusOK, status, body)
	for _, token := range []string{"", "anything", "xwt_anything"} {
		status, body = s.do("GET", "/api/v1/jobs", token, "")
		require.Equal(t, http.StatusUnauthorized, status, "%q: %s", token, body)
	}
	_, _, resp := s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"pass of root"}`)
	status, _, _ = s.doAs(cookieOf(resp).Value, "GET", "/api/v1/jobs", "")
	require.Equal(t, http.StatusOK, status)
}

func TestAUserSeesWhatIsGranted(t *testing.T) {
	s := twoGroupsOn(t)
	create := func(body string) (token string) {
		status, answer := s.do("POST", "/api/v1/tokens", testToken, body)
		require.Equal(t, http.StatusOK, status, answer)
		var got users.NewToken
		require.NoError(t, json.Unmarshal([]byte(answer), &got))
		require.Regexp(t, `^xwt_[\w-]{43}$`, got.Token)
		return got.Token
	}
	end := `"expires":"` + time.Now().Add(time.Hour).Format(time.RFC3339) + `"`
	for name, tt := range map[string]struct {
		body   string
		call   string
		status int
	}{
		"a reader's token reads its group":              {`{"user":"reader","name":"t",` + end + `}`, "GET /jobs/1", 200},
		"and no other":                                  {`{"user":"reader","name":"t",` + end + `}`, "GET /jobs/2", 404},
		"and changes nothing":                           {`{"user":"reader","name":"t","role":"admin",` + end + `}`, "POST /jobs/1/start", 403},
		"an administrator's token of a viewer":          {`{"user":"root","name":"t","role":"viewer",` + end + `}`, "POST /jobs/1/start", 403},
		"an administrator's token of an operator":       {`{"user":"root","name":"t","role":"operator",` + end + `}`, "POST /jobs/1/start", 200},
		"an administrator's token for a group":          {`{"user":"root","name":"t","groups":[2],` + end + `}`, "GET /jobs/2", 200},
		"and no other group":                            {`{"user":"root","name":"t","groups":[2],` + end + `}`, "GET /jobs/1", 404},
		"and no users":                                  {`{"user":"root","name":"t","groups":[2],` + end + `}`, "GET /users", 403},
		"a token without limits does what its user may": {`{"user":"root","name":"t",` + end + `}`, "GET /users", 200},
		"but creates no other token":                    {`{"user":"root","name":"t","role":"viewer",` + end + `}`, "POST /tokens", 403},
		"and changes no password":                       {`{"user":"root","name":"t",` + end + `}`, "PUT /me/password", 403},
	} {
		method, path, _ := strings.Cut(tt.call, " ")
		status, answer := s.do(method, api.Base+path, create(tt.body), goodBodies[method+" "+api.Base+path])
		require.Equal(t, tt.status, status, "%s: %s", name, answer)
	}
	for body, message := range map[string]string{
		`{"user":"nobody","name":"t",` + end + `}`:                          `user \"nobody\" does not exist`,
		`{"name":"t",` + end + `}`:                                          "user is missing",
		`{"user":"root","name":"",` + end + `}`:                             "name has 0 bytes",
		`{"user":"root","name":"t","role":"root",` + end + `}`:              `role is \"root\", must be one of viewer`,
		`{"user":"root","name":"t","expires":"2020-01-01T00:00:00Z"}`:       "must be in the future",
		`{"user":"root","name":"t","expires":"9020-01-01T00:00:00Z"}`:       "must be within 366 days",
		`{"user":"root","name":"t","expires":"2020-01-01T00:00:00Z","x":1}`: "unknown field",
		`{"user":"root","name":"t","expires":7}`:                            "expires is",
	} {
		status, answer := s.do("POST", "/api/v1/tokens", testToken, body)
		require.Contains(t, []int{http.StatusBadRequest, http.StatusNotFound}, status)
		require.Contains(t, answer, message)
	}
}

// TestTooManyLoginsSayWhenToTryAgain checks that a header, for programs, says what the message
// says.
func TestTooManyLoginsSayWhenToTryAgain(t *testing.T) {
	s := newSite(t)
	s.people()
	for range 5 {
		status, _, resp := s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"wrong"}`)
		require.Equal(t, http.StatusUnauthorized, status)
		require.Empty(t, resp.Header.Get("Retry-After"))
	}
	status, body, resp := s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"pass of root"}`)
	require.Equal(t, http.StatusTooManyRequests, status, body)
	after := resp.Header.Get("Retry-After")
	require.Regexp(t, `^[1-9]\d?$`, after)
	require.Contains(t, body, "try again in "+after+" seconds")
}

func TestTheLastAdministratorStays(t *testing.T) {
	s := newSite(t)
	session := s.people()
	for _, call := range []string{`DELETE /users/1`, `PUT /users/1 {"grants":[]}`, `PUT /users/1 {"password":""}`, `PUT /users/1 {"grants":[{"jobGroup":0,"role":"coder"}]}`} {
		parts := strings.SplitN(call+" ", " ", 3)
		status, body, _ := s.doAs(session, parts[0], api.Base+parts[1], parts[2])
		require.Equal(t, http.StatusConflict, status, body)
		require.Contains(t, body, "user 1 is the last administrator")
	}
	status, body, _ := s.doAs(session, "PUT", "/api/v1/users/2", `{"password":"","grants":[{"jobGroup":0,"role":"admin"}]}`)
	require.Equal(t, http.StatusOK, status, body)
	status, body, _ = s.doAs(session, "PUT", "/api/v1/users/1", `{"grants":[]}`)
	require.Equal(t, http.StatusConflict, status, "%s: the other one cannot sign in", body)
	status, body, _ = s.doAs(session, "PUT", "/api/v1/users/2", `{"password":"long enough"}`)
	require.Equal(t, http.StatusOK, status, body)
	status, body, _ = s.doAs(session, "PUT", "/api/v1/users/1", `{"grants":[]}`)
	require.Equal(t, http.StatusOK, status, body)
	status, _, _ = s.doAs(session, "GET", "/api/v1/users", "")
	require.Equal(t, http.StatusForbidden, status, "at once")
}

func TestFieldsOfUsersAreChecked(t *testing.T) {
	s := newSite(t)
	s.people()
	for call, message := range map[string]string{
		`POST /users {"name":"a b"}`:                                                                       "must have no blanks",
		`POST /users {"name":"a/b"}`:                                                                       "must have no blanks",
		`POST /users {"name":"` + strings.Repeat("x", 51) + `"}`:                                           "name has 51 characters",
		`POST /users {"name":"root"}`:                                                                      "is taken by another user",
		`POST /users {"name":"x","password":"short"}`:                                                      "password has 5 characters, must have at least 8",
		`POST /users {"name":"x","password":"` + strings.Repeat("x", 257) + `"}`:                           "password has 257 bytes",
		`POST /users {"name":"x","grants":[{"jobGroup":9,"role":"viewer"}]}`:                               "grants name group 9, must be the id of a group",
		`POST /users {"name":"x","grants":[{"jobGroup":-1,"role":"viewer"}]}`:                              "grants name group -1",
		`POST /users {"name":"x","grants":[{"jobGroup":0,"role":"god"}]}`:                                  "role is",
		`POST /users {"name":"x","grants":[{"jobGroup":0,"role":"viewer"},{"jobGroup":0,"role":"admin"}]}`: "twice",
		`POST /users {"name":"x","hasPassword":true}`:                                                      "read-only",
		`POST /users {"name":"x","id":7}`:                                                                  "must be omitted for a new user",
		`POST /users {"name":"x","admin":true}`:                                                            "unknown field",
		`PUT /users/2 {"name":"other"}`:                                                                    "it cannot be changed",
		`PUT /users/2 {"id":1}`:                                                                            "must be 2 as in the path",
		`PUT /users/9 {}`:                                                                                  "user 9 does not exist",
	} {
		parts := strings.SplitN(call, " ", 3)
		status, body := s.do(parts[0], api.Base+parts[1], testToken, parts[2])
		require.GreaterOrEqual(t, status, 400, call)
		require.Less(t, status, 500, call)
		require.Contains(t, body, message, call)
	}
}

// A lateBody is a body before whose first byte something happens.
type lateBody struct {
	io.Reader
	first func()
}

func (b *lateBody) Read(p []byte) (int, error) {
	if first := b.first; first != nil {
		b.first = nil
		first()
	}
	return b.Reader.Read(p)
}

// TestNoTokenIsCreatedWithASessionThatHasEnded sends the body of a call only after an administrator
// has set a new password, which ends the session that the call began with.
func TestNoTokenIsCreatedWithASessionThatHasEnded(t *testing.T) {
	s := newSite(t)
	session := s.people()
	ends := time.Now().Add(time.Hour).Format(time.RFC3339)
	r := httptest.NewRequest(http.MethodPost, "/api/v1/tokens", &lateBody{
		strings.NewReader(`{"name":"late","expires":"` + ends + `"}`), func() {
			status, body := s.do("PUT", "/api/v1/users/1", testToken, `{"password":"set by another"}`)
			require.Equal(t, http.StatusOK, status, body)
		},
	})
	r.AddCookie(&http.Cookie{Name: users.CookieName, Value: session})
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	require.Equal(t, http.StatusUnauthorized, w.Code, w.Body)
	status, body := s.do("GET", "/api/v1/tokens?all", testToken, "")
	require.Equal(t, http.StatusOK, status)
	require.JSONEq(t, `{"credentials":[]}`, body)
}

// TestTheFirstUserIsCreatedByTheLinkAlone checks the setup of a server that other machines reach.
func TestTheFirstUserIsCreatedByTheLinkAlone(t *testing.T) {
	s := newSite(t)
	first := func(token string) (int, string, *http.Response) {
		return s.doAs("", "POST", "/api/v1/session/first", fmt.Sprintf(`{"token":%q,"name":"root","password":"pass of root"}`, token))
	}
	status, _, _ := first("")
	require.Equal(t, http.StatusUnauthorized, status, "nothing was offered")
	secret, err := s.server.opts.Accounts.Setup(t.Context())
	require.NoError(t, err)
	_, body, _ := s.doAs("", "GET", "/api/v1/session", "")
	require.Contains(t, body, `"setup":true`)
	for _, wrong := range []string{"", "x", secret[1:], secret + "x"} {
		status, _, _ = first(wrong)
		require.Equal(t, http.StatusUnauthorized, status)
	}
	status, body, _ = s.doAs("", "POST", "/api/v1/session/first", fmt.Sprintf(`{"token":%q,"name":"root","password":"short"}`, secret))
	require.Equal(t, http.StatusBadRequest, status, "a mistake does not use the link up: %s", body)
	status, body, resp := first(secret)
	require.Equal(t, http.StatusOK, status, body)
	status, _, _ = s.doAs(cookieOf(resp).Value, "GET", "/api/v1/users", "")
	require.Equal(t, http.StatusOK, status)
	status, _, _ = first(secret)
	require.Equal(t, http.StatusUnauthorized, status, "once")
	_, body, _ = s.doAs("", "GET", "/api/v1/session", "")
	require.Contains(t, body, `"setup":false`)
	again, err := s.server.opts.Accounts.Setup(t.Context())
	require.NoError(t, err)
	require.Empty(t, again, "there is a user")
}

// TestNoSecretOfAUserIsShown makes the calls that handle secrets, and reads answers and log.
func TestNoSecretOfAUserIsShown(t *testing.T) {
	var logged bytes.Buffer
	s := siteWith(t, func(o *Options) {
		o.Logger = slog.New(slog.NewTextHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	session := s.people()
	said := ""
	note := func(_ int, body string, resp *http.Response) *http.Response { said += body + "\n"; return resp }
	c := cookieOf(note(s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"pass of root"}`)))
	note(s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":"s3cret wrong"}`))
	note(s.doAs("", "POST", "/api/v1/session", `{"name":"root","password":7}`))
	note(s.doAs("", "POST", "/api/v1/session/first", `{"token":"s3cret link","name":"x","password":"s3cret pass"}`))
	note(s.doAs(session, "POST", "/api/v1/users", `{"name":"x","password":"s3cret pass"}`))
	note(s.doAs(session, "POST", "/api/v1/users", `{"name":"y","password":"s3cret"}`))
	note(s.doAs(session, "PUT", "/api/v1/me/password", `{"old":"s3cret old","new":"s3cret new"}`))
	note(s.doAs(session, "PUT", "/api/v1/me/password", `{"old":"pass of root","new":"s3cret new"}`))
	for _, path := range []string{"users", "users/1", "me", "me/sessions", "tokens", "tokens?all", "session"} {
		note(s.doAs(session, "GET", "/api/v1/"+path, ""))
	}
	said += logged.String()
	require.Contains(t, logged.String(), "user signed in")
	for _, secret := range []string{"s3cret", "pass of root", c.Value, session, "argon2", "of the token"} {
		require.NotContains(t, said, secret)
	}
}
