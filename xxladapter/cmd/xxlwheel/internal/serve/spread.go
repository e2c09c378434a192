package serve

import (
	"errors"
	"net"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// checkSpread refuses --spread and --advertise where they would have no effect or cannot be used.
func (c *Cmd) checkSpread() error {
	leader := c.Scheduling == string(xxladapter.SchedulingLeader)
	switch {
	case !leader && c.Spread != string(xxladapter.SpreadNone):
		return command.Usagef("--spread is %s, must be none without --scheduling leader", c.Spread)
	case !leader && c.Advertise != "":
		return command.Usagef("--advertise is %q, must not be given without --scheduling leader", c.Advertise)
	case c.Advertise != "":
		if err := access.CheckBase("--advertise", c.Advertise); err != nil {
			return command.Usagef("%v", err)
		}
	}
	return nil
}

// advertised returns the URL under which the other schedulers reach this one, which listens at an
// address. It is empty without --scheduling leader, or if no other scheduler can reach this one.
func (c *Cmd) advertised(at net.Addr) (string, error) {
	if c.Scheduling != string(xxladapter.SchedulingLeader) || c.Advertise != "" {
		return c.Advertise, nil
	}
	url, err := access.OwnURL(c.Listen, at, c.TLS.TLSCert != "")
	if errors.Is(err, access.ErrNoInterface) {
		return "", nil // nobody could reach it
	}
	return url, err
}
