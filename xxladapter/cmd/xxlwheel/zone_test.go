package main

import (
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// createStore creates an empty store.
func createStore(t *testing.T, place string) {
	t.Helper()
	s, err := sqlstore.Open(t.Context(), place, sqlstore.Options{Logger: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	require.NoError(t, s.Close())
}

// TestTheZoneOfAStoreIsChangedByOrder checks that a scheduler in another zone is refused, and that
// the error names the way out.
func TestTheZoneOfAStoreIsChangedByOrder(t *testing.T) {
	file := t.TempDir() + "/zone.db"
	store := "sqlite:" + file
	code, _, text := cli(t, "migrate", "--store", store, "--zone", "Asia/Tokyo")
	require.Equal(t, 2, code)
	require.Contains(t, text, "must be a store that exists")
	require.NoFileExists(t, file)
	createStore(t, store)
	code, out, _ := cli(t, "migrate", "--store", store, "--zone", "Asia/Tokyo")
	require.Equal(t, 0, code)
	require.Equal(t, "schedules are evaluated in Asia/Tokyo\n", out)
	code, out, text = cli(t, "serve", "--store", store, "--listen", "127.0.0.1:0", "--zone", "Asia/Shanghai")
	require.Equal(t, 1, code)
	require.Empty(t, out, "it says that it serves only when it does")
	require.Contains(t, text, "zone is Asia/Shanghai, must be Asia/Tokyo as the store's schedulers have agreed; xxlwheel migrate --zone changes it")
	code, _, text = cli(t, "migrate", "--store", store, "--zone", "Nowhere")
	require.Equal(t, 2, code)
	require.Contains(t, text, `--zone is "Nowhere", must be a time zone such as Asia/Shanghai`)
}
