package trigger

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger/internal/post"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ErrOutcomeUnknown is wrapped by the error of a call that was sent, wholly or in part, and got no
// answer that says what the executor did: it may have acted on the call.
var ErrOutcomeUnknown = errors.New("trigger: outcome unknown")

// ClientOptions configures a [Client].
type ClientOptions struct {
	// Timeout limits one call, connecting included. The default is 3s, as in XXL-JOB
	// (xxl.job.timeout).
	Timeout time.Duration
	// AccessToken is sent with every call; empty sends none.
	AccessToken string
	// Sent overrides app name and token for a call. appName is what the caller knows, which may be
	// empty. Nil sends appName and AccessToken.
	Sent func(ctx context.Context, addr, appName string) (app, token string)
	// MayDial refuses connections by the address that a name resolved to. Nil refuses none.
	MayDial func(netip.AddrPort) error
	// TLS configures calls to https addresses. Nil trusts the authorities of the system.
	TLS *tls.Config
	// Concurrency limits the idle connections that are kept to one executor. The default is 256:
	// more than the 150 hand-overs that a pool of default size has in flight for one app, so that a
	// burst opens its connections once.
	Concurrency int
	// Broker carries runs and calls to executors that use a queue; nil reaches none of them. Never
	// is the error that Broker.Publish wraps for a run that it can never store; nil means that each
	// failed publication is tried again.
	Broker Broker
	Never  error
}

var (
	headerToken   = http.CanonicalHeaderKey(wire.HeaderToken)
	headerAppName = http.CanonicalHeaderKey(wire.HeaderAppName)
	// headerTraceParent is that of the W3C's Trace Context.
	headerTraceParent = "Traceparent"
)

// A Client calls executors over HTTP, or over a broker where the address says so. Its methods may
// be called from any goroutine.
type Client struct {
	http    *post.Client
	timeout time.Duration
	sent    func(ctx context.Context, addr, appName string) (app, token string)
	// runPaths remembers, by address, executors of generation G4, which take runs at another path.
	// Addresses that are not in it get [wire.PathRun].
	runPaths   sync.Map // string -> string
	batches    batches
	cannotTell cannotTell
	broker     Broker // nil means none
	never      error
}

// NewClient returns a Client with its own connections. The error names an option that is negative.
func NewClient(opts ClientOptions) (*Client, error) {
	var err error
	setDefault(&err, "ClientOptions.Timeout", &opts.Timeout, 3*time.Second)
	setDefault(&err, "ClientOptions.Concurrency", &opts.Concurrency, 256)
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
		broker:  opts.Broker,
		never:   opts.Never,
		http: post.New(post.Options{
			Dial: dialer.DialContext, TLS: opts.TLS,
			Idle: opts.Concurrency,
			// Executors close after 90 s of silence; closing first avoids sending into a connection
			// that is going away.
			IdleFor: 60 * time.Second,
			MaxBody: wire.MaxBody,
		}),
	}, nil
}

// Close drops idle connections, and returns when the last request has ended.
//
// REQUIRES: no call runs or will be made.
func (c *Client) Close() {
	c.batches.sending.Wait()
	c.http.Close()
}

// Run starts a run. An answer with a code other than 200 is a reply, not an error. An error that is
// not [ErrOutcomeUnknown] means that the executor did not take the run. Runs for an executor that
// takes batches may share a request; see gather.go.
func (c *Client) Run(ctx context.Context, addr, appName string, req *wire.RunRequest) (wire.Reply, error) {
	if g := c.batches.of(addr, appName); g != nil {
		return g.run(ctx, req)
	}
	return c.runAlone(ctx, addr, appName, req)
}

// runAlone starts a run with a request of its own.
func (c *Client) runAlone(ctx context.Context, addr, appName string, req *wire.RunRequest) (wire.Reply, error) {
	path := wire.PathRun
	if p, ok := c.runPaths.Load(addr); ok {
		path = p.(string)
	}
	reply, header, err := c.exchange(ctx, addr, appName, path, req)
	if err == nil {
		c.batches.note(c, addr, appName, header)
	}
	if err != nil || !strings.HasPrefix(reply.Msg, wire.PrefixNotFound) {
		return reply, err
	}
	// An executor that does not know the path has not acted, so the other generation's path may be
	// tried.
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

// Log reads the log of a run from its executor. If the reply has more than [wire.MaxBody], it
// returns the lines at its beginning, and if there is no whole line, the beginning of the line.
func (c *Client) Log(ctx context.Context, addr, appName string, req wire.LogRequest) (wire.LogResult, error) {
	answer, token, err := c.send(ctx, addr, appName, wire.PathLog, req)
	if err != nil {
		return wire.LogResult{}, err
	}
	var result wire.LogResult
	if !answer.Cut {
		result, err = decodeLog(addr, answer, token)
	} else if result, err = wire.DecodeLogPart(answer.Body, req.FromLine); err != nil {
		err = fmt.Errorf("reply has more than %d bytes, and does not begin as a log: %w", wire.MaxBody, err)
	}
	if err != nil {
		return wire.LogResult{}, fmt.Errorf("read log of %s: %w", addr, err)
	}
	result.Content = access.Conceal(result.Content, token) // a handler may have written it
	if answer.Cut && !strings.HasSuffix(result.Content, "\n") {
		// The line may end with a part of the token.
		whole := result.Content[:max(0, len(result.Content)-len(token))]
		result.Content = strings.ToValidUTF8(whole, "") + "...\n"
	}
	return result, nil
}

// decodeLog decodes a whole reply with a log.
func decodeLog(addr string, answer post.Answer, token string) (result wire.LogResult, err error) {
	reply, err := decode(addr, wire.PathLog, answer, token)
	switch {
	case err != nil:
		return result, err
	case reply.Code != wire.CodeOK:
		return result, fmt.Errorf("code %d: %s", reply.Code, reply.Msg)
	case reply.Payload == nil:
		return result, errors.New("reply has no content")
	}
	err = wire.Decode(reply.Payload, &result)
	return result, err
}

// Kill ends the running and the waiting runs of a job on one executor. A job without runs there is
// no error.
func (c *Client) Kill(ctx context.Context, addr, appName string, jobID int64) error {
	reply, err := c.call(ctx, addr, appName, wire.PathKill, wire.KillRequest{JobID: wire.Int(jobID)})
	if err != nil || reply.Msg == wire.MsgGoKillUnknown {
		return err
	}
	return mustBeOK(addr, wire.PathKill, reply)
}

// appKey is the context key of an app name.
type appKey struct{}

// forApp returns a context whose beats are for executors of an app. Groups may share an address,
// which then does not tell the app, nor the token to send.
func forApp(ctx context.Context, appName string) context.Context {
	return context.WithValue(ctx, appKey{}, appName)
}

// Beat returns nil if the executor is alive and takes runs.
func (c *Client) Beat(ctx context.Context, addr string) error {
	return c.expectOK(ctx, addr, wire.PathBeat, nil)
}

// Alive returns nil if the executor of an app is alive. Unlike [Client.Beat] it includes an
// executor that is stopping, whose last runs may take as long as it lets them, and one that does
// not know the call, such as old releases of the common Go executor.
func (c *Client) Alive(ctx context.Context, addr, appName string) error {
	reply, err := c.call(ctx, addr, appName, wire.PathBeat, nil)
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		return nil
	}
	if err != nil || reply.Msg == wire.MsgStopping {
		return err
	}
	return mustBeOK(addr, wire.PathBeat, reply)
}

// IdleBeat returns nil if the executor is alive and has no run of the job, running or waiting.
func (c *Client) IdleBeat(ctx context.Context, addr string, jobID int64) error {
	return c.expectOK(ctx, addr, wire.PathIdleBeat, wire.IdleBeatRequest{JobID: wire.Int(jobID)})
}

// expectOK makes a call under the app name of [forApp], if ctx has one.
func (c *Client) expectOK(ctx context.Context, addr, path string, req any) error {
	appName, _ := ctx.Value(appKey{}).(string)
	reply, err := c.call(ctx, addr, appName, path, req)
	if err != nil {
		return err
	}
	return mustBeOK(addr, path, reply)
}

func mustBeOK(addr, path string, reply wire.Reply) error {
	if reply.Code != wire.CodeOK {
		return fmt.Errorf("%s%s: code %d: %s", addr, path, reply.Code, reply.Msg)
	}
	return nil
}

// call posts one request and reads the reply.
func (c *Client) call(ctx context.Context, addr, appName, path string, req any) (wire.Reply, error) {
	reply, _, err := c.exchange(ctx, addr, appName, path, req)
	return reply, err
}

// exchange makes a call, and returns the header of the reply too.
func (c *Client) exchange(ctx context.Context, addr, appName, path string, req any) (wire.Reply, http.Header, error) {
	answer, token, err := c.send(ctx, addr, appName, path, req)
	if err != nil {
		return wire.Reply{}, nil, err
	}
	reply, err := decode(addr, path, answer, token)
	if err != nil {
		return wire.Reply{}, nil, err
	}
	return reply, answer.Header, nil
}

// send posts one request, and returns the answer and the token that was sent.
func (c *Client) send(
	ctx context.Context, addr, appName, path string, req any,
) (answer post.Answer, token string, err error) {
	body := []byte(`""`) // what G1 and G2 send where there is nothing to say
	if req != nil {
		if body, err = json.Marshal(req); err != nil {
			return answer, "", fmt.Errorf("encode %s request: %w", path, err)
		}
	}
	appName, token = c.sent(ctx, addr, appName)
	deadline := time.Now().Add(c.timeout) // for the executor alone: reading the token may take the store a while
	var header [][2]string
	if run, ok := req.(*wire.RunRequest); ok && run.TraceParent != "" {
		header = [][2]string{{headerTraceParent, run.TraceParent}}
	}
	answer, err = c.post(ctx, deadline, addr, appName, token, path, body, header...)
	return answer, token, err
}

// decode decodes the reply to a call.
func decode(addr, path string, answer post.Answer, token string) (wire.Reply, error) {
	data := answer.Body
	if answer.Cut {
		data = []byte(access.Conceal(string(data), token))
		return wire.Reply{}, unreadable(addr, path, data, fmt.Errorf("has more than %d bytes", wire.MaxBody))
	}
	reply, err := wire.DecodeReply(data)
	if err != nil { // which quotes the reply
		data = []byte(access.Conceal(string(data), token))
		reply, err = wire.DecodeReply(data)
	}
	reply.Msg = access.Conceal(reply.Msg, token) // it goes into messages that more people may read
	if errors.Is(err, wire.ErrNoCode) {
		return reply, nil // a failure by the protocol's rule, with whatever text there was
	}
	if err != nil {
		return wire.Reply{}, unreadable(addr, path, data, err)
	}
	return reply, nil
}

// unreadable returns the error of a call whose reply makes no sense.
func unreadable(addr, path string, reply []byte, err error) error {
	return outcome(true, fmt.Errorf("post %s%s: reply %.80q: %w", strings.TrimSuffix(addr, "/"), path, reply, err))
}

// A statusError is an HTTP status other than 200. The executor has not acted, unless the error also
// wraps [ErrOutcomeUnknown], as for the 502 and 504 of a proxy, and for the 204 of an executor that
// has nothing to say.
type statusError struct {
	url    string
	status int
}

func (e *statusError) Error() string { return fmt.Sprintf("post %s: HTTP status %d", e.url, e.status) }

// post sends one request and returns the reply. The error wraps [ErrOutcomeUnknown] if the executor
// may have acted on the request.
func (c *Client) post(
	ctx context.Context, deadline time.Time, addr, appName, token, path string, body []byte, header ...[2]string,
) (post.Answer, error) {
	if at, ok := ctx.Deadline(); ok && at.Before(deadline) {
		deadline = at
	}
	if to, queued := xxladapter.ParseQueueAddress(addr); queued {
		h := http.Header{headerToken: {token}, headerAppName: {appName}}
		return c.callQueued(ctx, deadline, to, h, path, body)
	}
	base := strings.TrimSuffix(addr, "/")
	answer, sent, err := c.http.Do(ctx, &post.Call{
		Base: base, Path: path, Body: body, Deadline: deadline, May: guardOf(ctx),
		Header: append([][2]string{
			{"Content-Type", wire.ContentType},
			{headerToken, token},
			{headerAppName, appName},
		}, header...),
	})
	switch {
	case errors.Is(err, post.ErrWithheld):
		return answer, errWithheld
	case err != nil:
		return answer, outcome(sent, err)
	case answer.Status == http.StatusBadGateway, answer.Status == http.StatusGatewayTimeout:
		// A proxy speaks, and cannot know what the executor behind it did.
		return answer, outcome(true, &statusError{base + path, answer.Status})
	case answer.Status > http.StatusOK && answer.Status < 300: // it may well have acted, as with an empty reply
		return answer, outcome(true, &statusError{base + path, answer.Status})
	case answer.Status != http.StatusOK: // also a redirect, which would be followed by a GET without a body
		return answer, &statusError{base + path, answer.Status}
	}
	return answer, nil
}

func outcome(sent bool, err error) error {
	if !sent {
		return err
	}
	return fmt.Errorf("%w: %w", ErrOutcomeUnknown, err)
}
