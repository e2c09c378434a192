// Package client calls the API of a running scheduler. Flags say where it is, API makes the calls,
// and Listing prints a list of the API page by page. The commands that manage a running scheduler
// are made of these; only the command that gets an answer knows what it means.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An API calls the management API of a running scheduler.
type API struct {
	Server string // base URL
	Token  string
	cookie string  // of a session; empty means none
	CA     string  // file of further certificate authorities; empty means only the system's
	Key    *string // idempotency key of the call; nil means none

	LastEvent string // id of the event after which a stream continues; empty means that it begins anew

	Patient bool // the answer may take longer than 30 s
}

// An Error is the server's refusal of a call.
type Error struct {
	Code, Message string
	Problems      []declare.Problem // all that is wrong with declarations; the first is the message
	Conflicts     []struct{ Field string }
}

// Error returns the message. For an edit of what somebody else has changed, it adds the fields that
// differ.
func (e *Error) Error() string {
	if len(e.Conflicts) == 0 {
		return e.Message
	}
	var fields []string
	for _, c := range e.Conflicts {
		fields = append(fields, c.Field)
	}
	return e.Message + "; these fields differ: " + strings.Join(fields, ", ")
}

// Call sends in as the body (nil sends none) and decodes the answer into out (nil ignores it). The
// error is the server's own message, or says why the server was not reached.
func (c API) Call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.Send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("read answer of %s: %w", access.Shown(c.Server), err)
	}
	return nil
}

// Download copies an answer that is no JSON value to out, however long it takes.
func (c API) Download(ctx context.Context, path string, out io.Writer) error {
	c.Patient = true
	resp, err := c.Send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(out, resp.Body); err != nil {
		return fmt.Errorf("read answer of %s, which is incomplete: %w", access.Shown(c.Server), err)
	}
	return nil
}

// Lines calls each with every line of an answer of JSON lines, as it arrives and however long it
// takes.
func (c API) Lines(ctx context.Context, method, path string, in any, each func(json.RawMessage) error) error {
	c.Patient = true
	resp, err := c.Send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	d := json.NewDecoder(resp.Body)
	for {
		var line json.RawMessage
		err := d.Decode(&line)
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read answer of %s, which is incomplete: %w", access.Shown(c.Server), err)
		}
		if err := each(line); err != nil {
			return err
		}
	}
}

// Send makes a call and returns its answer if the server has not refused it. The caller closes the
// body.
func (c API) Send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	if err := TrustCA(c.CA); err != nil {
		return nil, err
	}
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.Server, "/")+"/api/v1"+path, body)
	if err != nil || req.URL.Scheme != "http" && req.URL.Scheme != "https" || req.URL.Host == "" {
		return nil, command.Usagef(
			"--server is %q, must be a URL such as http://127.0.0.1:8080", access.Shown(c.Server),
		)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.Token != "" {
		req.Header.Set(wire.HeaderToken, c.Token)
	}
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
	}
	if c.LastEvent != "" {
		req.Header.Set("Last-Event-ID", c.LastEvent)
	}
	if c.Key != nil {
		req.Header.Set("Idempotency-Key", *c.Key)
	}
	by := HTTP
	if c.Patient {
		by = &http.Client{Transport: HTTP.Transport, CheckRedirect: HTTP.CheckRedirect}
	}
	resp, err := by.Do(req)
	if err != nil {
		var urlErr *url.Error
		if errors.As(err, &urlErr) {
			err = urlErr.Err
		}
		return nil, fmt.Errorf("reach scheduler at %s: %w", access.Shown(c.Server), err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, fmt.Errorf(
			"%s answers HTTP status %s, must be a scheduler's API; redirects are not followed", access.Shown(c.Server),
			resp.Status,
		)
	}
	var refusal Error
	if json.NewDecoder(resp.Body).Decode(&refusal) != nil || refusal.Message == "" {
		return nil, fmt.Errorf(
			"%s answers HTTP status %s, must be a scheduler's API", access.Shown(c.Server), resp.Status,
		)
	}
	return nil, &refusal
}
