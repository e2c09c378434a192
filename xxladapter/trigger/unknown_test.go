package trigger

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestManyUnknownResultsAreOneLine checks that the log gets one line although an executor that
// belongs to another database reports everything it has.
func TestManyUnknownResultsAreOneLine(t *testing.T) {
	var logged bytes.Buffer
	h := handOver(t, Options{Store: memstore.New(time.Now), Logger: slog.New(slog.NewTextHandler(&logged, nil))})
	results := make([]wire.Callback, 20_000)
	for i := range results {
		results[i] = wire.Callback{LogID: wire.Int(i + 1), HandleCode: 200}
	}
	require.NoError(t, h.Complete(t.Context(), results))
	require.Equal(t, 1, strings.Count(logged.String(), "\n"))
	require.Contains(t, logged.String(), "results=20000")
}
