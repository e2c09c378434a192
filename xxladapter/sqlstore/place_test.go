package sqlstore

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
)

func TestAPlaceIsShownWithoutItsPassword(t *testing.T) {
	for place, shown := range map[string]string{
		"sqlite:xxlwheel.db":                     "sqlite:xxlwheel.db",
		"sqlite:/home/me@work/100%.db":           "sqlite:/home/me@work/100%.db",
		"postgres://bob:s3cret@db:5432/xxl":      "postgres://bob:xxxxx@db:5432/xxl",
		"postgresql://bob:s3cret@db:5432/xxl":    "postgresql://bob:xxxxx@db:5432/xxl",
		"postgres://bob:s3cret@db1:1,db2:2/xxl":  "postgres://bob:xxxxx@db1:1,db2:2/xxl",
		"postgres://bob@db/xxl?password=s3cret":  "postgres://bob@db/xxl",
		"postgres://db/xxl?user=b@c&password=s3": "postgres://db/xxl",
		"mysql://bob:s3c%ret@db/xxl":             "mysql:...",
		"mysql:bob:s3cret@tcp(db:3306)/xxl":      "mysql:...",
		"mysql://bob:s3cret/xxl":                 "mysql:...", // the host is missing
		"mysql:bob:s3cret/xxl":                   "mysql:...",
		"bob:s3cret@tcp(db:3306)/xxl":            "...",
		"bob:s3cret/xxl":                         "bob:...",
		"s3cret@db":                              "...",
		"host=db user=bob password=s3cret":       "...",
		"postgres:host=db Password=s3cret":       "postgres:...",
		// A password that is not escaped, and is split.
		"mysql://bob:12/s3cret@db/xxl":    "mysql:...",
		"mysql://bob:12#s3cret@db/xxl":    "mysql:...",
		"mysql://bob:12?s3cret@db/xxl":    "mysql:...",
		"postgres://bob:12/s3cret@db/xxl": "postgres:...",
		"mysql://bob:a@b/s3cret@db/xxl":   "mysql:...",
		"x":                               "x",
	} {
		require.Equal(t, shown, Redacted(place))
		require.NotContains(t, Redacted(place), "s3c")
	}
}

// TestNoErrorShowsAPassword opens a server that is not there, one whose name is the password, and
// an address that cannot be parsed.
func TestNoErrorShowsAPassword(t *testing.T) {
	for _, rest := range []string{
		"bob:s3cret-1@127.0.0.1:1/xxl", "bob:s3cret-1%2F@127.0.0.1:1/xxl", "bob:12/s3cret-1@127.0.0.1:1/xxl", "bob:12#s3cret-1@127.0.0.1:1/xxl",
		"bob:12?s3cret-1@127.0.0.1:1/xxl", "bob:%s3cret-1@127.0.0.1:1/xxl", "bob:s3cret-1/xxl", "s3cret-1@127.0.0.1:1",
		"bob:s3cret-1@127.0.0.1:1/xxl?connect_timeout=x", "bob:s3cret-1@127.0.0.1:1/xxl?tls=odd", "127.0.0.1:1/xxl?user=bob&password=s3cret-1",
		"bob:s3cret-1@127.0.0.1:x/xxl", "bob:s3cret-1@127.0.0.1:99999/xxl", "bob:s3cret-1@[::1/xxl", "bob:s3cret-1@no.such.host.invalid/xxl",
	} {
		for _, kind := range []string{"mysql://", "postgres://", "postgresql://", "oracle://", "mysql:", "postgres:", ""} {
			place := kind + rest
			_, err := Open(t.Context(), place, Options{Logger: fixture.Quiet})
			require.Error(t, err, place)
			if strings.HasPrefix(rest, "s3cret-1@") && strings.Contains(kind, "//") {
				continue // the name of a user
			}
			require.NotContains(t, err.Error(), "s3cret", place)
			require.NotContains(t, err.Error(), "\n", place)
			if strings.HasPrefix(kind, "mysql:") {
				for _, err := range []error{MigrateMySQL(t.Context(), place, false, Options{Logger: fixture.Quiet}), planError(t, place), dueError(t, place)} {
					require.Error(t, err, place)
					require.NotContains(t, err.Error(), "s3cret", place)
				}
			}
		}
	}
}

func planError(t *testing.T, place string) error {
	_, err := PlanMySQL(t.Context(), place, Options{Logger: fixture.Quiet})
	return err
}

func dueError(t *testing.T, place string) error {
	_, err := DueIndexMySQL(t.Context(), place, false, Options{Logger: fixture.Quiet})
	return err
}

func TestAnUnknownPlaceIsRefusedInOneLine(t *testing.T) {
	for place, message := range map[string]string{
		"x":                        `store is "x", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
		"sqlite:":                  `store is "sqlite:", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
		"sqlite:x.db?journal=no":   `store is "sqlite:x.db?journal=no", its journal must be on, off or lost`,
		"oracle://bob:secret@db/x": `store is "oracle://bob:xxxxx@db/x", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
	} {
		_, err := Open(t.Context(), place, Options{})
		require.EqualError(t, err, message)
	}
}

func TestFileOf(t *testing.T) {
	for place, file := range map[string]string{
		"sqlite:x.db":               "x.db",
		"sqlite:x.db?journal=on":    "x.db",
		"sqlite:a?b.db?journal=off": "a?b.db",
		"sqlite:a?b.db":             "a?b.db",
		"sqlite:":                   "",
		"mysql://u@h/d":             "",
		"x.db":                      "",
	} {
		got, ok := FileOf(place)
		require.Equal(t, file != "", ok, place)
		if ok {
			require.Equal(t, file, got, place)
		}
	}
}

func TestTheJournalOfAPlace(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.db")
	for _, mode := range []string{"", "?journal=on", "?journal=off", "?journal=lost", ""} {
		s, err := Open(t.Context(), "sqlite:"+file+mode, Options{Logger: fixture.Quiet})
		require.NoError(t, err)
		left, err := filepath.Glob(file + "-ahead.*")
		require.NoError(t, err)
		require.Equal(t, mode == "?journal=on" || mode == "?journal=lost", len(left) > 0, mode)
		require.NoError(t, s.Close())
	}
}
