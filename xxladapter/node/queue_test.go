package node

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

func TestAReportOverTheQueueNamesAnOperationAlone(t *testing.T) {
	require.True(t, isOperation("registryRemove"))
	for _, op := range []string{"", "v1/jobs", "..", "a?b", "a b", "注册"} {
		require.False(t, isOperation(op), op)
	}
}

// TestAPanicOfAPageLeavesAReportUnanswered has a handler of Around that panics, which net/http
// recovers in a request.
func TestAPanicOfAPageLeavesAReportUnanswered(t *testing.T) {
	var said strings.Builder
	n, err := New(Options{
		Store: memstore.New(time.Now), Logger: slog.New(slog.NewTextHandler(&said, nil)),
		Around: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				_, _ = w.Write([]byte("half an answer"))
				panic("oh")
			})
		},
	})
	require.NoError(t, err)
	require.Nil(t, n.answerReport(t.Context(), wire.OpRegistry, "some-app", nil, nil))
	require.Contains(t, said.String(), "panic=oh")
	require.Contains(t, said.String(), "queue_test.go:", "the stack")
}
