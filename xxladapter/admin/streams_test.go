package admin

import (
	"context"
	"errors"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A deafWriter cannot be flushed: its caller has left.
type deafWriter struct{ *httptest.ResponseRecorder }

func (deafWriter) FlushError() error { return errors.New("the caller has left") }

// TestAStreamThatNeverBeginsIsReleased checks that callers who leave at once leave nothing behind.
func TestAStreamThatNeverBeginsIsReleased(t *testing.T) {
	s, _, run := newTail(t)
	ctx := access.WithRights(t.Context(), access.RightsForAll(xxladapter.RoleAdmin))
	tailed, err := s.server.tailRun(ctx, tailQuery{IDPath: api.IDPath{ID: run}})
	require.NoError(t, err)
	tailed.Serve(deafWriter{httptest.NewRecorder()})
	s.server.tails.mu.Lock()
	require.Empty(t, s.server.tails.open)
	s.server.tails.mu.Unlock()

	for range 1001 { // one more than may be connected at a time
		listening, err := s.server.listen(ctx, eventQuery{})
		require.NoError(t, err, "a place is free")
		listening.Serve(deafWriter{httptest.NewRecorder()})
	}
}

// TestATailEndsWithItsLife checks that the rights of a viewer are checked again, at the latest when
// the viewer connects again.
func TestATailEndsWithItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, end := context.WithCancel(t.Context())
		defer end()
		s, begun := &Server{ending: ending}, time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), 2*api.StreamLife)
		defer cancel()
		api.Stream{Write: func(w *api.StreamWriter) error {
			return s.sendTail(ctx, w, &tail{moved: make(chan struct{})}, 1)
		}}.Serve(httptest.NewRecorder())
		require.Equal(t, api.StreamLife, time.Since(begun))
	})
}
