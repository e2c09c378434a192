package spread

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

const (
	// sendLimit limits one request, connecting included. Fires are sent up to five seconds ahead,
	// so most fires for a silent node are not late when the request is given up.
	sendLimit = time.Second

	// idleLimit is how long a connection is kept: longer than the pause between two scans.
	idleLimit = 30 * time.Second

	// maxReason limits what is read of a refusal, in bytes.
	maxReason = 512
)

// A Client sends hints to other nodes. Its methods may be called from any goroutine.
type Client struct {
	http  *http.Client
	token string
}

// NewClient returns a Client that sends the token that all nodes and executors share; an empty
// token is not sent. A nil tls trusts only the system's certificate authorities. The Client
// connects to no link-local address, follows no redirect and uses no proxy.
func NewClient(token string, tls *tls.Config) *Client {
	var addresses access.Addresses
	dialer := &net.Dialer{Control: func(_, addr string, _ syscall.RawConn) error {
		to, err := netip.ParseAddrPort(addr)
		if err != nil {
			return err
		}
		return addresses.CheckDial(to)
	}}
	return &Client{token: token, http: &http.Client{
		Timeout:       sendLimit,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext: dialer.DialContext, TLSClientConfig: tls,
			MaxIdleConnsPerHost: 2, IdleConnTimeout: idleLimit, DisableCompression: true,
		},
	}}
}

// Close closes idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Send sends a hint to the node at a URL. Nil means that the node has taken the hint. After an
// error the node may have taken it or not.
func (c *Client) Send(ctx context.Context, address string, h Hint) error {
	data, err := encode(h)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(
		ctx, http.MethodPost, strings.TrimSuffix(address, "/")+Path, bytes.NewReader(data),
	)
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	reason, err := io.ReadAll(io.LimitReader(resp.Body, maxReason))
	switch {
	case resp.StatusCode == http.StatusNoContent:
		return nil
	case err != nil:
		return err
	case strings.TrimSpace(string(reason)) == "" || resp.StatusCode == http.StatusNotFound:
		return errors.New(resp.Status)
	}
	return fmt.Errorf("%s: %q", resp.Status, strings.TrimSpace(string(reason)))
}
