package executor

import (
	"net"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

func TestACallerIsNotWaitedForLong(t *testing.T) {
	e, err := New(Options{Listen: "127.0.0.1:0", DataDir: t.TempDir(), Logger: quietLogger()})
	require.NoError(t, err)
	testserver.GivesUpSlowCallers(t, "POST /beat", func(t *testing.T, ln net.Listener) (stop func()) {
		server, ended := e.newServer(), make(chan error, 1)
		go func() { ended <- server.Serve(ln) }()
		return func() {
			require.NoError(t, server.Close())
			require.ErrorIs(t, <-ended, http.ErrServerClosed)
		}
	})
}
