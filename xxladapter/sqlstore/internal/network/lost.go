package network

import (
	"database/sql/driver"
	"errors"
	"io"
	"net"
)

// IsConnectionLoss reports whether the server vanished in the middle of a call.
func IsConnectionLoss(err error) bool {
	var network net.Error
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, errSilent) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.As(err, &network) && !network.Timeout()
}
