package executor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// admins calls the schedulers. A call goes to the one that accepted the last call, then to the
// others in order, until one replies with code 200.
type admins struct {
	opts   *Options
	all    []*admin
	last   atomic.Int32 // index of the one that accepted the last call
	report reportFunc   // nil means HTTP
}

// A reportFunc carries a call to the schedulers over a queue; see [delivery.Conn].
type reportFunc func(ctx context.Context, op string, header http.Header, body []byte) ([]byte, error)

type admin struct {
	shown string // what stands before an operation in errors, without secrets
	url   string // ends in a slash; empty over a queue
	// wrapped says that callbacks are sent in the object of 3.5, and not as the list that all
	// releases accept. ask switches it when the admin does not understand the shape.
	wrapped atomic.Bool
}

func newAdmins(o *Options) *admins {
	a := &admins{opts: o}
	for _, url := range o.Admins {
		a.all = append(a.all, &admin{shown: access.Shown(url), url: url})
	}
	return a
}

// newQueuedAdmins returns the schedulers behind a queue. They are called as one, since the queue
// chooses which of them answers.
func newQueuedAdmins(o *Options, over reportFunc) *admins {
	return &admins{opts: o, all: []*admin{{shown: "the queue: "}}, report: over}
}

func (a *admins) close() { a.opts.HTTPClient.CloseIdleConnections() }

// call sends a request to the admins until one accepts it. The error contains the reason of each
// that did not; some of them may have acted on the request all the same.
func (a *admins) call(ctx context.Context, op string, body func(*admin) ([]byte, error)) error {
	_, err := a.callFor(ctx, op, body)
	return err
}

// callFor makes a call whose reply has a payload.
func (a *admins) callFor(ctx context.Context, op string, body func(*admin) ([]byte, error)) (json.RawMessage, error) {
	var failed []error
	first := int(a.last.Load())
	for i := range a.all {
		n := i
		switch { // the last one first, then the others in order
		case i == 0:
			n = first
		case i <= first:
			n = i - 1
		}
		payload, err := a.ask(ctx, a.all[n], op, body)
		if err == nil {
			a.last.Store(int32(n))
			return payload, nil
		}
		failed = append(failed, fmt.Errorf("%sapi/%s: %w", a.all[n].shown, op, err))
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(failed...)
}

// A refusedError is a reply with another code than 200 to a call that carried a token.
type refusedError struct {
	reply wire.Reply
	token string
}

func (e *refusedError) Error() string {
	return fmt.Sprintf("refused with code %d: %s", e.reply.Code, access.Conceal(e.reply.Msg, e.token))
}

// errTooLarge is the answer of an admin, or of a proxy before it, to a body above its limit.
var errTooLarge = fmt.Errorf("answered with status %d", http.StatusRequestEntityTooLarge)

// ask calls one admin. If the admin does not understand a callback, ask repeats it in the other
// shape.
func (a *admins) ask(
	ctx context.Context, to *admin, op string, body func(*admin) ([]byte, error),
) (json.RawMessage, error) {
	payload, err := a.post(ctx, to, op, body)
	var refused *refusedError
	if op != wire.OpCallback || !errors.As(err, &refused) ||
		!strings.HasPrefix(refused.reply.Msg, strings.TrimSpace(wire.PrefixOpenAPIErr)) {
		return payload, err
	}
	to.wrapped.Store(!to.wrapped.Load())
	if payload, again := a.post(ctx, to, op, body); again == nil {
		return payload, nil
	}
	to.wrapped.Store(!to.wrapped.Load())
	return nil, err
}

func (a *admins) post(
	ctx context.Context, to *admin, op string, body func(*admin) ([]byte, error),
) (json.RawMessage, error) {
	data, err := body(to)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, a.opts.AdminTimeout)
	defer cancel()
	answer, err := a.carry(ctx, to, op, data)
	if err != nil {
		return nil, err
	}
	reply, err := wire.DecodeReply(answer)
	if err != nil {
		return nil, errors.New(access.Conceal(err.Error(), a.opts.AccessToken)) // it quotes the answer
	}
	if reply.Code != wire.CodeOK {
		return nil, &refusedError{reply, a.opts.AccessToken}
	}
	return reply.Payload, nil
}

// carry sends a request and returns the body of the answer.
func (a *admins) carry(ctx context.Context, to *admin, op string, data []byte) ([]byte, error) {
	if a.report != nil {
		h := http.Header{}
		h.Set("Content-Type", wire.ContentType)
		h.Set(wire.HeaderToken, a.opts.AccessToken)
		h.Set(wire.HeaderAppName, a.opts.AppName)
		return a.report(ctx, op, h, data)
	}
	req, err := http.NewRequestWithContext(
		ctx, http.MethodPost, to.url+strings.TrimPrefix(wire.AdminPath, "/")+op, bytes.NewReader(data),
	)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", wire.ContentType)
	req.Header.Set(wire.HeaderToken, a.opts.AccessToken)
	req.Header.Set(wire.HeaderAppName, a.opts.AppName)
	resp, err := a.opts.HTTPClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		return nil, err
	}
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fmt.Errorf("answered with status %d; redirects are not followed", resp.StatusCode)
	case resp.StatusCode == http.StatusRequestEntityTooLarge:
		return nil, errTooLarge
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("answered with status %d", resp.StatusCode)
	}
	return answer, nil
}

// sameBody returns a body that does not depend on the admin.
func sameBody(v any) func(*admin) ([]byte, error) {
	return func(*admin) ([]byte, error) { return json.Marshal(v) }
}
