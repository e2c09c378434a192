package sqlstore

import (
	"context"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Open opens the store that place names:
//
//	sqlite:FILE                                 see [OpenSQLite]
//	mysql://USER:PASSWORD@HOST:PORT/DATABASE    see [OpenMySQL]
//	postgres://USER:PASSWORD@HOST:PORT/DATABASE see [OpenPostgres]; postgresql: is the same
//
// Any other place is refused with an [xxladapter.Error].
func Open(ctx context.Context, place string, opts Options) (*Store, error) {
	kind, rest, _ := strings.Cut(place, ":")
	switch {
	case kind == "sqlite" && rest != "":
		return OpenSQLite(ctx, rest, opts)
	case kind == "mysql":
		return OpenMySQL(ctx, place, opts)
	case kind == "postgres" || kind == "postgresql":
		return OpenPostgres(ctx, place, opts)
	}
	return nil, xxladapter.Invalidf("store is %q, must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE", Redacted(place))
}

// Redacted is place for people: without its password, or without anything that
// might be one.
func Redacted(place string) string {
	kind, _, colon := strings.Cut(place, ":")
	u, err := url.Parse(place)
	switch {
	case kind == "sqlite":
		return place
	case err == nil && u.Host != "" && !strayAt(u):
		u.RawQuery, u.ForceQuery = "", false // may have a password as well
		return u.Redacted()
	case kind != "mysql" && kind != "postgres" && kind != "postgresql" &&
		(strings.Contains(place, "@") || strings.Contains(strings.ToLower(place), "passw")):
		return "..."
	case colon:
		return kind + ":..."
	}
	return place
}

// strayAt reports whether a URL has an @ where none belongs: its user's password
// has a /, ? or # that is not escaped, and is taken apart there.
func strayAt(u *url.URL) bool {
	name, _, _ := strings.Cut(u.RawQuery, "=") // values may have one
	return strings.Contains(u.Path+u.Fragment+name, "@")
}
