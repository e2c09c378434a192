package main

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
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An apiClient calls the management API of a running scheduler.
type apiClient struct {
	server string // base URL
	token  string
	cookie string  // of a session; empty means none
	ca     string  // file of further certificate authorities; empty means only the system's
	key    *string // idempotency key of the call; nil means none

	lastEvent string // id of the event after which a stream continues; empty means that it begins anew

	patient bool // the answer may take longer than 30 s
}

// An apiError is the server's refusal of a call.
type apiError struct {
	Code, Message string
	Problems      []declare.Problem // of declarations, the first of which is the message
	Conflicts     []struct{ Field string }
}

// Error returns the message. For an edit of what somebody else has changed, it adds the fields that
// differ.
func (e *apiError) Error() string {
	if len(e.Conflicts) == 0 {
		return e.Message
	}
	var fields []string
	for _, c := range e.Conflicts {
		fields = append(fields, c.Field)
	}
	return e.Message + "; these fields differ: " + strings.Join(fields, ", ")
}

// call sends in as the body (nil sends none) and decodes the answer into out (nil ignores it). The
// error is the server's own message, or says why the server was not reached.
func (c apiClient) call(ctx context.Context, method, path string, in, out any) error {
	resp, err := c.send(ctx, method, path, in)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(resp.Body).Decode(out); err != nil {
		return fmt.Errorf("read answer of %s: %w", access.Shown(c.server), err)
	}
	return nil
}

// download copies an answer that is no JSON value to out, however long it takes.
func (c apiClient) download(ctx context.Context, path string, out io.Writer) error {
	c.patient = true
	resp, err := c.send(ctx, http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if _, err := io.Copy(out, resp.Body); err != nil {
		return fmt.Errorf("read answer of %s, which is incomplete: %w", access.Shown(c.server), err)
	}
	return nil
}

// lines calls each with every line of an answer of JSON lines, as it arrives and however long it
// takes.
func (c apiClient) lines(ctx context.Context, method, path string, in any, each func(json.RawMessage) error) error {
	c.patient = true
	resp, err := c.send(ctx, method, path, in)
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
			return fmt.Errorf("read answer of %s, which is incomplete: %w", access.Shown(c.server), err)
		}
		if err := each(line); err != nil {
			return err
		}
	}
}

// send makes a call and returns its answer if the server has not refused it. The caller closes the
// body.
func (c apiClient) send(ctx context.Context, method, path string, in any) (*http.Response, error) {
	if err := trustCA(c.ca); err != nil {
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
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(c.server, "/")+"/api/v1"+path, body)
	if err != nil {
		return nil, usagef("--server is %q, must be a URL such as http://127.0.0.1:8080", access.Shown(c.server))
	}
	req.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		req.Header.Set(wire.HeaderToken, c.token)
	}
	if c.cookie != "" {
		req.Header.Set("Cookie", c.cookie)
	}
	if c.lastEvent != "" {
		req.Header.Set("Last-Event-ID", c.lastEvent)
	}
	if c.key != nil {
		req.Header.Set("Idempotency-Key", *c.key)
	}
	by := apiHTTP
	if c.patient {
		by = &http.Client{Transport: apiHTTP.Transport, CheckRedirect: apiHTTP.CheckRedirect}
	}
	resp, err := by.Do(req)
	if err != nil {
		var urlErr *url.Error
		if errors.As(err, &urlErr) {
			err = urlErr.Err
		}
		return nil, fmt.Errorf("reach scheduler at %s: %w", access.Shown(c.server), err)
	}
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer resp.Body.Close()
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, fmt.Errorf("%s answers HTTP status %s, must be a scheduler's API; redirects are not followed", access.Shown(c.server), resp.Status)
	}
	var refusal apiError
	if json.NewDecoder(resp.Body).Decode(&refusal) != nil || refusal.Message == "" {
		return nil, fmt.Errorf("%s answers HTTP status %s, must be a scheduler's API", access.Shown(c.server), resp.Status)
	}
	return nil, &refusal
}
