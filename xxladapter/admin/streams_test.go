package admin

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"testing"

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
	s, _, run := newTail(t, siteWith)
	ctx := access.WithRights(t.Context(), access.RightsForAll(xxladapter.RoleAdmin))
	begin := func(path string) {
		t.Helper()
		i := slices.IndexFunc(s.server.calls(), func(c api.Call) bool { return c.Path == path })
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
		r.SetPathValue("id", strconv.FormatInt(run, 10))
		answer, err := s.server.calls()[i].Serve(r)
		require.NoError(t, err, "a place is free")
		answer.(api.Stream).Serve(deafWriter{httptest.NewRecorder()})
	}
	begin("/api/v1/runs/{id}/tail")
	require.Zero(t, s.server.runs.Watched())
	for range 1001 { // one more than may be connected at a time
		begin("/api/v1/events")
	}
}
