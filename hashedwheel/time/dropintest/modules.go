//go:build modules

package dropintest

// These are the packages whose suites are run; go.mod names their releases. The tag is never set,
// so that the tests build even if a module cannot be downloaded. The test of its suite is then
// skipped, or fails where downloads are required.
import (
	_ "github.com/coder/websocket"
	_ "github.com/hashicorp/yamux"
	_ "github.com/xtaci/smux"
	_ "golang.org/x/net/http2"
	_ "google.golang.org/grpc"

	_ "github.com/xxlwheel/xxlwheel/hashedwheel/time"
)
