package users

import (
	"reflect"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// Calls returns the calls about users, each with what it needs of its caller.
func (s *Server) Calls() []api.Call {
	return []api.Call{
		api.WithoutBody("GET /api/v1/session", api.Public, "Show who calls, and how to sign in.", s.showSession),
		api.WithBody("POST /api/v1/session", api.Public, "Sign in by name and password.", s.login).
			Noting("The answer sets a cookie, with which further calls are the user's."),
		api.WithoutBody("DELETE /api/v1/session", api.Public, "Sign out: end the session of the cookie.", s.logout),
		api.WithBody(
			"POST /api/v1/session/first", api.Public,
			"Create the first user, an administrator, with the secret of the one-time link, and sign in.", s.first,
		),

		forBrowsers(
			"GET "+OIDCPath, "Redirect the browser to the provider of OpenID Connect.", reflect.TypeFor[api.None](),
			s.beginOIDC,
		).Within(s.signOns),
		forBrowsers(
			"GET "+OIDCReturn, "Complete a sign-in at the provider.", reflect.TypeFor[oidcQuery](), s.endOIDC,
		).Within(s.signOns).Noting(
			"Redirects the browser to the console. The roles of the user become those that the provider's claims give.",
		),

		api.WithoutBody("GET /api/v1/me", api.Anyone, "Show the user who calls.", s.showMe),
		api.WithBody("PUT /api/v1/me/password", api.Anyone, "Change one's own password.", s.changePassword).
			Noting("Other sessions end."),
		api.WithoutBody("GET /api/v1/me/sessions", api.Anyone, "List one's own sessions, by id.", s.listSessions),
		api.WithoutBody("DELETE /api/v1/me/sessions/{id}", api.Anyone, "End one of one's own sessions.", s.endSession),

		api.WithoutBody("GET /api/v1/users", api.Admin.ForAll(), "List users, by id.", s.listUsers),
		api.WithBody("POST /api/v1/users", api.Admin.ForAll(), "Create a user.", s.createUser).Requiring("name"),
		api.WithoutBody("GET /api/v1/users/{id}", api.Admin.ForAll(), "Show a user.", s.showUser),
		api.WithBody(
			"PUT /api/v1/users/{id}", api.Admin.ForAll(), "Change the password or the roles of a user.", s.updateUser,
		).Noting("One administrator of all groups must remain."),
		api.WithoutBody(
			"DELETE /api/v1/users/{id}", api.Admin.ForAll(), "Delete a user with sessions and tokens.", s.removeUser,
		).Noting("One administrator of all groups must remain."),

		api.WithoutBody(
			"GET /api/v1/tokens", api.Anyone, "List one's own personal tokens, or those of all users, by id.",
			s.listTokens,
		).Noting("A caller with a token sees that token alone."),
		api.WithBody(
			"POST /api/v1/tokens", api.Anyone, "Create a personal token, which acts as its user within its limits.",
			s.createToken,
		),
		api.WithoutBody("DELETE /api/v1/tokens/{id}", api.Anyone, "Delete a personal token.", s.removeToken).
			Noting("One's own needs a session; administrators of all groups delete any."),
	}
}
