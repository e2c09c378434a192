//go:build modules

package dropintest

// The packages whose suites are run: go.mod says which release. Behind a tag that is never set, because
// the tests are to be built, and skipped by name, also where a module cannot be downloaded.
import (
	_ "github.com/coder/websocket"
	_ "github.com/hashicorp/yamux"
	_ "github.com/xtaci/smux"
	_ "golang.org/x/net/http2"
	_ "google.golang.org/grpc"

	_ "github.com/xxlwheel/xxlwheel/hashedwheel/time"
)
