package access

import (
	"net/url"
	"strings"
)

// leastConcealed is the least length of a secret that [Conceal] looks for, that of a
// group's token: what is shorter would garble texts that mean something.
const leastConcealed = 8

// Conceal is text with *** in place of each secret of at least eight bytes. It is
// for what somebody else wrote who was sent them.
func Conceal(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= leastConcealed {
			text = strings.ReplaceAll(text, secret, "***")
		}
	}
	return text
}

// Shown is the URL of a server for people: without a password and a query, or
// three dots where it cannot be read and has an @, before which one may stand.
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
