package sqlstore

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAPlaceIsShownWithoutItsPassword(t *testing.T) {
	for place, shown := range map[string]string{
		"sqlite:xxlwheel.db":                    "sqlite:xxlwheel.db",
		"postgres://bob:secret@db:5432/xxl":     "postgres://bob:xxxxx@db:5432/xxl",
		"postgres://bob@db/xxl?password=secret": "postgres://bob@db/xxl",
		"mysql://bob:sec%ret@db/xxl":            "mysql:...",
		"bob:secret@tcp(db:3306)/xxl":           "bob:...",
		"x":                                     "x",
	} {
		require.Equal(t, shown, Redacted(place))
		require.NotContains(t, Redacted(place), "secret")
	}
}

func TestAnUnknownPlaceIsRefusedInOneLine(t *testing.T) {
	for place, message := range map[string]string{
		"x":                        `store is "x", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
		"sqlite:":                  `store is "sqlite:", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
		"oracle://bob:secret@db/x": `store is "oracle://bob:xxxxx@db/x", must be sqlite:FILE or mysql:// or postgres:// and USER:PASSWORD@HOST:PORT/DATABASE`,
	} {
		_, err := Open(t.Context(), place, Options{})
		require.EqualError(t, err, message)
	}
}
