package executor

import (
	"fmt"
	"net"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// findAddress returns the address to register: the configured one exactly as it is, or
// http://host:port/ (https:// with TLS), with the trailing slash that Java executors have.
func (e *Executor) findAddress(l net.Listener) (string, error) {
	if e.opts.Address != "" || l == nil {
		return e.opts.Address, nil
	}
	url, err := access.OwnURL(e.opts.Listen, l.Addr(), e.opts.serverTLS != nil)
	if err != nil {
		return "", fmt.Errorf("executor: %w; set Options.Address", err)
	}
	return url + "/", nil
}
