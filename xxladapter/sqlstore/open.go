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
	if u, err := url.Parse(place); err == nil && u.Host != "" {
		u.RawQuery = "" // may have a password as well
		return u.Redacted()
	}
	if !strings.Contains(place, "@") {
		return place
	}
	kind, _, _ := strings.Cut(place, ":")
	return kind + ":..."
}
