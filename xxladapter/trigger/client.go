package trigger

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ErrOutcomeUnknown is wrapped by the error of a call that was sent, wholly or in part, and got no
// answer: the executor may have acted on it.
var ErrOutcomeUnknown = errors.New("trigger: outcome unknown")

// ClientOptions configures a [Client].
type ClientOptions struct {
	// Timeout limits one call, connecting included. The default is 3s, as in XXL-JOB
	// (xxl.job.timeout).
	Timeout time.Duration
	// AccessToken is sent with every call; empty sends none.
	AccessToken string
	// Sent overrides app name and token for a call. appName is what the caller knows, which may be
	// empty. nil sends appName and AccessToken.
	Sent func(ctx context.Context, addr, appName string) (app, token string)
	// MayDial refuses connections by the address that a name resolved to. nil refuses none.
	MayDial func(netip.AddrPort) error
	// TLS configures calls to https addresses. nil trusts the authorities of the system.
	TLS *tls.Config
	// Concurrency limits the idle connections that are kept to one executor. The default is 64.
	Concurrency int
}

// A Client calls executors over HTTP. Its methods may be called from any
// goroutine.
type Client struct {
	http    *http.Client
	timeout time.Duration
	sent    func(ctx context.Context, addr, appName string) (app, token string)
	// runPaths remembers, by address, executors of generation G4, which take
	// runs at another path. Addresses that are not in it get [wire.PathRun].
	runPaths sync.Map // string -> string
}

// NewClient returns a Client with its own connections. The error names an option that is negative.
func NewClient(opts ClientOptions) (*Client, error) {
	var err error
	setDefault(&err, "ClientOptions.Timeout", &opts.Timeout, 3*time.Second)
	setDefault(&err, "ClientOptions.Concurrency", &opts.Concurrency, 64)
	if err != nil {
		return nil, err
	}
	if opts.Sent == nil {
		opts.Sent = func(_ context.Context, _, appName string) (string, string) { return appName, opts.AccessToken }
	}
	dialer := &net.Dialer{Timeout: opts.Timeout, KeepAlive: 30 * time.Second}
	if opts.MayDial != nil {
		dialer.Control = func(_, addr string, _ syscall.RawConn) error {
			to, err := netip.ParseAddrPort(addr)
			if err != nil {
				return err
			}
			return opts.MayDial(to)
		}
	}
	return &Client{
		timeout: opts.Timeout,
		sent:    opts.Sent,
		http: &http.Client{
			Transport: &http.Transport{
				DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
					conn, err := dialer.DialContext(ctx, network, addr)
					if err != nil {
						return nil, err
					}
					return &guardedConn{Conn: conn}, nil
				},
				TLSClientConfig:     opts.TLS,
				MaxIdleConnsPerHost: opts.Concurrency,
				// Executors close after 90 s of silence; closing first avoids
				// sending into a connection that is going away.
				IdleConnTimeout:    60 * time.Second,
				DisableCompression: true, // Java peers cannot decode gzip
			},
			// A redirected POST would be sent on as a GET without its body.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}, nil
}

// Close drops idle connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// Run starts a run. An answer with a code other than 200 is a reply, not an error. An error that is
// not [ErrOutcomeUnknown] means that the executor did not take the run.
func (c *Client) Run(ctx context.Context, addr, appName string, req *wire.RunRequest) (wire.Reply, error) {
	path := wire.PathRun
	if p, ok := c.runPaths.Load(addr); ok {
		path = p.(string)
	}
	reply, err := c.call(ctx, addr, appName, path, req)
	if err != nil || !strings.HasPrefix(reply.Msg, wire.PrefixNotFound) {
		return reply, err
	}
	// An executor that does not know the path has not acted, so the other
	// generation's path may be tried.
	other := wire.PathTrigger
	if path == wire.PathTrigger {
		other = wire.PathRun
	}
	reply, err = c.call(ctx, addr, appName, other, req)
	if err == nil && !strings.HasPrefix(reply.Msg, wire.PrefixNotFound) {
		c.runPaths.Store(addr, other)
	}
	return reply, err
}

// Log reads the log of a run from its executor.
func (c *Client) Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error) {
	var result wire.LogResult
	reply, err := c.call(ctx, addr, appName, wire.PathLog, req)
	if err != nil {
		return result, err
	}
	if reply.Code != wire.CodeOK {
		return result, fmt.Errorf("read log of %s: code %d: %s", addr, reply.Code, reply.Msg)
	}
	if reply.Payload == nil {
		return result, fmt.Errorf("read log of %s: reply has no content", addr)
	}
	if err := wire.Decode(reply.Payload, &result); err != nil {
		return result, fmt.Errorf("read log of %s: %w", addr, err)
	}
	return result, nil
}

// Kill ends the running and the waiting runs of a job on one executor.
func (c *Client) Kill(ctx context.Context, addr, appName string, jobID int64) error {
	return c.expectOK(ctx, addr, appName, wire.PathKill, wire.KillRequest{JobID: wire.Int(jobID)})
}

// Beat returns nil if the executor is alive.
func (c *Client) Beat(ctx context.Context, addr string) error {
	return c.expectOK(ctx, addr, "", wire.PathBeat, nil)
}

// IdleBeat returns nil if the executor is alive and has no run of the job, running or waiting.
func (c *Client) IdleBeat(ctx context.Context, addr string, jobID int64) error {
	return c.expectOK(ctx, addr, "", wire.PathIdleBeat, wire.IdleBeatRequest{JobID: wire.Int(jobID)})
}

func (c *Client) expectOK(ctx context.Context, addr, appName, path string, req any) error {
	reply, err := c.call(ctx, addr, appName, path, req)
	if err != nil {
		return err
	}
	if reply.Code != wire.CodeOK {
		return fmt.Errorf("%s%s: code %d: %s", addr, path, reply.Code, reply.Msg)
	}
	return nil
}

// call posts one request and reads the reply.
func (c *Client) call(ctx context.Context, addr, appName, path string, req any) (wire.Reply, error) {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	appName, token := c.sent(ctx, addr, appName)
	data, err := c.post(ctx, addr, appName, token, path, req)
	if err != nil {
		return wire.Reply{}, err
	}
	reply, err := wire.DecodeReply(data)
	if err != nil { // which quotes the reply
		data = []byte(access.Conceal(string(data), token))
		reply, err = wire.DecodeReply(data)
	}
	reply.Msg = access.Conceal(reply.Msg, token) // it goes into messages that more may read
	if errors.Is(err, wire.ErrNoCode) {
		return reply, nil // a failure by the protocol's rule, with whatever text there was
	}
	if err != nil {
		return wire.Reply{}, outcome(true, fmt.Errorf("post %s%s: reply %.80q: %w", strings.TrimSuffix(addr, "/"), path, data, err))
	}
	return reply, nil
}

// post sends one request and returns the body of the reply. The error wraps [ErrOutcomeUnknown]
// once the call had a connection, because bytes may have left from then on.
func (c *Client) post(ctx context.Context, addr, appName, token, path string, req any) ([]byte, error) {
	body := []byte(`""`) // what G1 and G2 send where there is nothing to say
	if req != nil {
		var err error
		if body, err = json.Marshal(req); err != nil {
			return nil, fmt.Errorf("encode %s request: %w", path, err)
		}
	}
	var sent atomic.Bool
	guard := guardOf(ctx)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(got httptrace.GotConnInfo) {
			sent.Store(true)
			guardConn(got.Conn, guard)
		},
	})
	url := strings.TrimSuffix(addr, "/") + path
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("call executor: %w", err)
	}
	r.Header.Set("Content-Type", wire.ContentType)
	if token != "" {
		r.Header.Set(wire.HeaderToken, token)
	}
	if appName != "" {
		r.Header.Set(wire.HeaderAppName, appName)
	}
	resp, err := c.http.Do(r)
	if err != nil && guard != nil && guard.withheld.Load() {
		return nil, errWithheld
	}
	if err != nil {
		return nil, outcome(sent.Load(), err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxBody))
	switch {
	case err != nil:
		return nil, outcome(true, fmt.Errorf("post %s: read reply: %w", url, err))
	case resp.StatusCode == http.StatusBadGateway, resp.StatusCode == http.StatusGatewayTimeout:
		// A proxy speaks, and cannot know what the executor behind it did.
		return nil, outcome(true, fmt.Errorf("post %s: HTTP status %d", url, resp.StatusCode))
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("post %s: HTTP status %d", url, resp.StatusCode)
	}
	return data, nil
}

func outcome(sent bool, err error) error {
	if !sent {
		return err
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}
