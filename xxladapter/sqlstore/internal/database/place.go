package database

import (
	"net/url"
	"strings"
)

// Redacted returns place without its password, or without anything that might be one.
func Redacted(place string) string {
	kind, _, colon := strings.Cut(place, ":")
	u, err := url.Parse(place)
	switch {
	case kind == "sqlite":
		return place
	case err == nil && u.Host != "" && !StrayAt(u):
		u.RawQuery, u.ForceQuery = "", false // it may contain a password as well
		return u.Redacted()
	case kind != "mysql" && kind != "postgres" && kind != "postgresql" &&
		(strings.Contains(place, "@") || strings.Contains(strings.ToLower(place), "passw")):
		return "..."
	case colon:
		return kind + ":..."
	}
	return place
}

// StrayAt reports whether a URL has an @ in the wrong place: its user's password contains a /, ? or
// # that is not escaped, and was split there.
func StrayAt(u *url.URL) bool {
	name, _, _ := strings.Cut(u.RawQuery, "=") // values may have one
	return strings.Contains(u.Path+u.Fragment+name, "@")
}
