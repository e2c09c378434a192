package executorapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestACallerWhoWaitsBehindALargeBodyMayLeave has a caller send results above [wire.MaxBody]
// without an end, and another one, who has to wait for it, leave.
func TestACallerWhoWaitsBehindALargeBodyMayLeave(t *testing.T) {
	s := New(Options{
		Tokens: access.NewExecutors("", memstore.New(nil).Groups), Logger: slog.New(slog.DiscardHandler),
		Pages: access.NewPages(access.PagesOptions{}),
	})
	large := func(ctx context.Context, body io.Reader) (ended chan struct{}) {
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, wire.AdminPath+wire.OpCallback, body)
		r.SetPathValue("op", wire.OpCallback)
		r.ContentLength = wire.MaxBody + 1
		ended = make(chan struct{})
		go func() { // the test waits for it
			defer close(ended)
			s.answer(httptest.NewRecorder(), r)
		}()
		return ended
	}
	body, feed := io.Pipe()
	first := large(t.Context(), body)
	_, err := feed.Write([]byte("[")) // it is being read
	require.NoError(t, err)

	ctx, leave := context.WithCancel(t.Context())
	second := large(ctx, http.NoBody)
	leave()
	select {
	case <-second:
	case <-time.After(20 * time.Second):
		require.Fail(t, "it still waits")
	}
	require.NoError(t, feed.CloseWithError(io.ErrUnexpectedEOF))
	<-first
}
