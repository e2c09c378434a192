package assistant

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Path is where [Page] answers assistants.
const Path = "/mcp"

// maxRequest limits the body of an assistant's request, in bytes. It is that of an API call.
const maxRequest = 5 << 20

// Page returns a handler that answers MCP over HTTP (the "streamable" transport, without sessions)
// at [Path], and passes all other requests on to server.
//
// server must answer the management API below /api/v1. Each tool's call goes to server with the
// headers and the address of the assistant's request, so that the caller's token decides, hosts and
// web pages are checked, and the audit names the caller, as for any other call. A caller whom the
// API does not admit gets the API's own answer. Cookies are left out: an assistant has a token.
func Page(server http.Handler, opts Options) http.Handler {
	logger := cmp.Or(opts.Logger, slog.Default())
	page := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		described, _ := r.Context().Value(describedKey{}).(*mcp.Server)
		return described
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxRequest, PropagateRequestCancellation: true,
		DisableLocalhostProtection: true, // the API checks the host, and knows the names that are allowed
	})
	foreign := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != Path {
			server.ServeHTTP(w, r)
			return
		}
		// Tools that read make GET calls. The API answers these to any web page, because browsers
		// keep the answer from a foreign page. So foreign pages are refused here.
		if err := foreign.Check(r); err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		caller := inside{server, r}
		description, err := caller.call(r.Context(), http.MethodGet, "/openapi.json", nil)
		var refused *refusal
		if errors.As(err, &refused) {
			refused.answerTo(w)
			return
		}
		described, err := New(description, caller.call, opts)
		if err != nil { // a fault of this program: its API has the calls; only the log gets the cause
			logger.Error("assistant not served", "err", err)
			http.Error(w, "internal error", http.StatusInternalServerError)
			return
		}
		page.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), describedKey{}, described)))
	})
}

// describedKey is the context's key of the [mcp.Server] that answers a request.
type describedKey struct{}

// An inside makes calls of the API within this process, on behalf of an assistant's request.
type inside struct {
	server http.Handler
	asked  *http.Request
}

// call makes a call of the API, as a [Call]. The error of an answer that is not OK is a [refusal].
func (i inside) call(ctx context.Context, method, path string, body json.RawMessage) (json.RawMessage, error) {
	at, err := url.Parse("/api/v1" + path)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", method, path, err)
	}
	r := i.asked.Clone(ctx)
	r.Method, r.URL, r.RequestURI, r.Pattern = method, at, at.RequestURI(), ""
	r.Body, r.ContentLength, r.TransferEncoding = http.NoBody, 0, nil
	for _, name := range [...]string{"Cookie", "Content-Length", "Content-Encoding", "Accept-Encoding"} {
		r.Header.Del(name)
	}
	if body != nil {
		r.Body, r.ContentLength = readCloser{bytes.NewReader(body)}, int64(len(body))
		r.Header.Set("Content-Type", "application/json")
	}
	a := &answer{header: http.Header{}, status: http.StatusOK}
	if err := a.take(i.server, r); err != nil {
		return nil, err
	}
	if a.status != http.StatusOK {
		return nil, &refusal{a}
	}
	return bytes.TrimSpace(a.body.Bytes()), nil
}

// readCloser closes a reader that needs no closing.
type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }

// An answer keeps what a handler answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
	wrote  bool
}

// take lets a handler answer. It returns an error if the handler cuts its answer off: the panic by
// which handlers do that is meant for an HTTP server, and would end the process here.
func (a *answer) take(from http.Handler, r *http.Request) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			err = errors.New("the scheduler has cut its answer off")
		default:
			panic(p)
		}
	}()
	from.ServeHTTP(a, r)
	return nil
}

// Header implements [http.ResponseWriter].
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements [http.ResponseWriter]; the first status counts.
func (a *answer) WriteHeader(status int) {
	if !a.wrote {
		a.status, a.wrote = status, true
	}
}

// Write implements [http.ResponseWriter].
func (a *answer) Write(p []byte) (int, error) {
	a.wrote = true
	return a.body.Write(p)
}

// A refusal is an answer of the API that is not OK.
type refusal struct{ *answer }

// Error returns the message of the answer.
func (r *refusal) Error() string {
	var body struct{ Message string }
	if err := json.Unmarshal(r.body.Bytes(), &body); err != nil || body.Message == "" {
		return fmt.Sprintf("status %d: %s", r.status, strings.TrimSpace(r.body.String()))
	}
	return body.Message
}

// answerTo passes the refusal on.
func (r *refusal) answerTo(w http.ResponseWriter) {
	for name, values := range r.header {
		w.Header()[name] = values
	}
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body.Bytes()) // the caller may be gone
}
