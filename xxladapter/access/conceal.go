package access

import (
	"net/url"
	"strings"
)

// leastConcealed is the length in bytes of the shortest secret that [Conceal] replaces. No group's
// token is shorter. Replacing shorter ones would garble ordinary text.
const leastConcealed = 8

// Conceal replaces each secret of at least eight bytes in text by ***. It is for text written by a
// party that received the secrets.
func Conceal(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= leastConcealed {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

// Shown returns the URL of a server in a form for people: without its password and query. A text
// with an @ becomes three dots if it cannot be parsed, has no host, or has the @ in its path or
// fragment, since a password may precede the @.
func Shown(server string) string {
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || strings.Contains(u.Path+u.Fragment, "@") {
		if strings.Contains(server, "@") {
			return "..."
		}
		return server
	}
	if u.User == nil && u.RawQuery == "" {
		return server
	}
	u.RawQuery, u.ForceQuery = "", false
	return u.Redacted()
}
