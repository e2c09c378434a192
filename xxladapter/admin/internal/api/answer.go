package api

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// publicBody limits the bodies of callers who need not be known, in bytes.
const publicBody = 16 << 10

// An Authenticator finds out who makes calls.
type Authenticator interface {
	// Authenticate returns the context of a call, with the caller's actor and rights. An error says
	// why the caller is refused; the context is that of the request then, with what the answer may
	// need.
	Authenticate(r *http.Request) (context.Context, error)
	// Cookie returns the cookie that the answer sets, or nil.
	Cookie(ctx context.Context) *http.Cookie
}

// An Answerer answers requests with the results of handlers: it authenticates and admits the
// callers, recovers panics, and writes answers and refusals.
type Answerer struct {
	Callers Authenticator
	Logger  *slog.Logger
}

// handler returns a handler that answers callers who have what n needs with the result of handle,
// and refuses the others. Unless n is public, a caller who sends a body is authenticated before the
// body is read, so that those who are refused take no memory, and again afterwards, because the
// body may take long to arrive.
func (a *Answerer) handler(n Need, handle Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, err := a.authenticate(r, n)
		if err == nil && !n.Public && r.ContentLength != 0 {
			if _, refused := Admit(r.WithContext(ctx), n); refused == nil {
				r.Body = received(http.MaxBytesReader(w, r.Body, wire.MaxBody))
				ctx, err = a.authenticate(r, n)
			}
		}
		a.Answer(w, r.WithContext(ctx), err, n, handle)
	})
}

// authenticate returns the context of the call and why the caller is refused, if so.
func (a *Answerer) authenticate(r *http.Request, n Need) (ctx context.Context, err error) {
	err = Recovered(func() (err error) {
		ctx, err = a.Callers.Authenticate(r)
		return err
	})
	if ctx == nil {
		ctx = r.Context() // it has panicked
	}
	var refused *xxladapter.Error
	if n.Public && errors.As(err, &refused) && refused.Code == xxladapter.CodeUnauthorized {
		err = nil
	}
	return ctx, err
}

// received reads a body to its end, and returns one that gives the same bytes and the same error.
func received(body io.Reader) io.ReadCloser {
	data, err := io.ReadAll(body)
	return io.NopCloser(io.MultiReader(bytes.NewReader(data), endOf{cmp.Or(err, io.EOF)}))
}

// An endOf reader has no bytes left.
type endOf struct{ err error }

func (e endOf) Read([]byte) (int, error) { return 0, e.err }

// Answer answers a caller with the result of handle. A refused that is not nil says why the caller
// is not authenticated, and is the answer instead.
func (a *Answerer) Answer(w http.ResponseWriter, r *http.Request, refused error, n Need, handle Handler) {
	var value any
	err := refused
	if err == nil {
		r, err = Admit(r, n)
	}
	if err == nil {
		if r.Body != nil {
			limit := int64(wire.MaxBody)
			if n.Public {
				limit = publicBody
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
		} else { // not a server's request
			r.Body = http.NoBody
		}
		err = Recovered(func() (err error) {
			value, err = handle(r.WithContext(xxladapter.ForUser(r.Context())))
			return err
		})
	}
	if answer, streams := value.(Stream); streams && err == nil {
		answer.Serve(w)
		return
	}
	status := http.StatusOK
	if err != nil {
		status, value = a.Refuse(r, err)
	}
	var method *methodError
	if errors.As(err, &method) {
		w.Header().Set("Allow", strings.Join(method.allowed, ", "))
	}
	SetRetryAfter(w, err)
	if cookie := a.Callers.Cookie(r.Context()); cookie != nil {
		http.SetCookie(w, cookie)
	}
	w.Header().Set("Cache-Control", "no-store")
	if file, ok := value.(Download); ok {
		file(w)
		return
	}
	text, unfit := json.Marshal(value)
	if unfit != nil { // such as a time after the year 9999
		status, value = a.Refuse(r, fmt.Errorf("encode answer: %w", unfit))
		text, _ = json.Marshal(value) // an Error has nothing of the kind
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // the caller may be gone
}

// Refuse returns the status and the answer for a call that has failed. It logs panics, and errors
// that the answer does not show. A call that ends because its caller has left, or because the
// scheduler stops, is no failure.
func (a *Answerer) Refuse(r *http.Request, err error) (int, Error) {
	status, answer, known := RefusalOf(err)
	var p *PanicError
	switch {
	case errors.As(err, &p):
		p.Log(a.Logger, r)
	case !known && r.Context().Err() != nil:
		a.Logger.Info("call broken off", "method", r.Method, "path", r.URL.Path, "err", err)
	case !known:
		a.Logger.Error("call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	return status, answer
}

// SetRetryAfter sets the header Retry-After if the error says when the call may be repeated.
func SetRetryAfter(w http.ResponseWriter, err error) {
	var user *xxladapter.Error
	if errors.As(err, &user) && user.RetryAfter > 0 {
		seconds := (user.RetryAfter + time.Second - 1) / time.Second // a shorter wait would fail again
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}
