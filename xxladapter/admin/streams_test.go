package admin

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// A deafWriter cannot be flushed: its caller has left.
type deafWriter struct{ *httptest.ResponseRecorder }

func (deafWriter) FlushError() error { return errors.New("the caller has left") }

// TestAStreamThatNeverBeginsIsReleased checks that callers who leave at once leave nothing behind.
func TestAStreamThatNeverBeginsIsReleased(t *testing.T) {
	s, _, run := newTail(t)
	ctx := access.WithRights(t.Context(), access.RightsForAll(xxladapter.RoleAdmin))
	tailed, err := s.server.tailRun(ctx, tailQuery{idPath: idPath{run}})
	require.NoError(t, err)
	tailed.serve(deafWriter{httptest.NewRecorder()})
	s.server.tails.mu.Lock()
	require.Empty(t, s.server.tails.open)
	s.server.tails.mu.Unlock()

	for range 1001 { // one more than may be connected at a time
		listening, err := s.server.listen(ctx, eventQuery{})
		require.NoError(t, err, "a place is free")
		listening.serve(deafWriter{httptest.NewRecorder()})
	}
}

// TestATailEndsWithItsLife checks that the rights of a viewer are checked again, at the latest when
// the viewer connects again.
func TestATailEndsWithItsLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, end := context.WithCancel(t.Context())
		defer end()
		s, begun := &Server{ending: ending}, time.Now()
		w := httptest.NewRecorder()
		ctx, cancel := context.WithTimeout(t.Context(), 2*streamLife)
		defer cancel()
		_ = s.sendTail(ctx, &streamWriter{w, http.NewResponseController(w)}, &tail{moved: make(chan struct{})}, 1)
		require.Equal(t, streamLife, time.Since(begun))
	})
}
