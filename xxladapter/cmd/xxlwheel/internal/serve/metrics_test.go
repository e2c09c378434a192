package serve

import (
	"net"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/metrics"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestACallerOfTheMetricsIsNotWaitedForLong has slow callers without a token, which the page does
// not need.
func TestACallerOfTheMetricsIsNotWaitedForLong(t *testing.T) {
	pages := access.NewPages(access.PagesOptions{Open: true, Listen: "127.0.0.1:0", Setting: "--allow-host"})
	testserver.GivesUpSlowCallers(t, "GET /metrics", func(t *testing.T, ln net.Listener) (stop func()) {
		end := serveMetrics(ln, pages, metrics.New())
		return func() { require.NoError(t, end()) }
	})
}
