package errorrule

// Who calls, and how often.
var (
	// {field} is not the current password of {user}
	OldPassword = Rule{"old_password", "field user"}
	// the name or the password is wrong
	WrongLogin = Rule{"wrong_login", ""}
	// {provider} did not sign the user in: {reason}
	ProviderRefused = Rule{"provider_refused", "provider reason"}
	// {provider} does not answer as it should, sign in by name and password or try again later
	ProviderAway = Rule{"provider_away", "provider"}
	// the session has ended, sign in again
	SessionEnded = Rule{"session_ended", ""}
	// The access token is wrong.
	WrongToken = Rule{"wrong_token", ""}
	// the link has been used or is wrong, restart the scheduler for a new one
	WrongLink = Rule{"wrong_link", ""}
	// the provider gives this user no role here, ask an administrator
	NoRole = Rule{"no_role", ""}
	// this needs the role {role} for group {group}
	NeedsRole = Rule{"needs_role", "role group"}
	// {method} {path} needs the role {role}
	NeedsRoleForCall = Rule{"needs_role", "method path role"}
	// this needs the role {role} for all groups
	NeedsRoleForAll = Rule{"needs_role_for_all", "role"}
	// this call is for users, and the caller is none
	NeedsUser = Rule{"needs_user", ""}
	// this call needs a session, and the caller has a token
	NeedsSession = Rule{"needs_session", ""}
	// too many tries, try again in {seconds} seconds
	TooManyTries = Rule{"too_many_tries", "seconds"}
	// too many calls of this kind at the same time, try again in 1 second
	TooManyCalls = Rule{"too_many_calls", ""}
	// {count} listeners are connected, must be fewer than {most}
	TooManyListeners = Rule{"too_many_listeners", "count most"}
)
