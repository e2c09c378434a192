package runs

import (
	"context"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// TestATailEndsWithItsLife checks that a stream ends after [api.StreamLife]. The rights of a viewer
// are checked when the viewer connects again.
func TestATailEndsWithItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, end := context.WithCancel(t.Context())
		defer end()
		s, begun := New(Options{Ending: ending}), time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*api.StreamLife)
		defer cancel()
		api.Stream{Write: func(w *api.StreamWriter) error {
			return s.sendTail(ctx, w, &tail{moved: make(chan struct{})}, 1)
		}}.Serve(httptest.NewRecorder())
		require.Equal(t, api.StreamLife, time.Since(begun))
	})
}

func TestATailKeepsABoundedText(t *testing.T) {
	tl := &tail{moved: make(chan struct{})}
	line := string(make([]byte, tailKept/4))
	for i := range int64(10) {
		tl.add(TailForm{From: i + 1, To: i + 1, Content: line})
	}
	parts, _ := tl.from(1)
	require.Len(t, parts, 4)
	require.Equal(t, int64(10), parts[3].To)
}
