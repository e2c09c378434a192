package spread

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// Path is where a node takes hints. It is only for other nodes of the same store, and not part of
// the management API.
const Path = "/internal/v1/fires"

// ErrBusy is returned by [HandlerOptions].Accept if a node takes too many hints at once.
var ErrBusy = errors.New("spread: this node is taking other hints")

// HandlerOptions configures [NewHandler]. All fields must be set.
type HandlerOptions struct {
	// Pages refuses requests of foreign web pages.
	Pages *access.Pages
	// Permits reports whether a token is the one that nodes and executors share.
	Permits func(token string) bool
	// Accept takes a hint. An [xxladapter.Error] says why it is refused.
	Accept func(context.Context, Hint) error
	// Next serves all other paths.
	Next http.Handler
}

// NewHandler returns a handler that takes hints at [Path]. Refusals are one line of text: 405 for
// another method, 403 for a foreign page, 401 for a wrong token, 413 for a large body, 400 for a
// body that is no hint, 409 for a hint that is not for this node, 503 if it cannot be taken now.
func NewHandler(o HandlerOptions) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != Path {
			o.Next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if status, reason := o.take(w, r); status != http.StatusNoContent {
			http.Error(w, reason, status)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
}

// take takes the hint of a request. It returns the status of the answer and the reason for a
// refusal.
func (o *HandlerOptions) take(w http.ResponseWriter, r *http.Request) (status int, reason string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		return http.StatusMethodNotAllowed, "the method must be POST"
	}
	if err := o.Pages.Check(r); err != nil {
		return http.StatusForbidden, err.Error()
	}
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		token = ""
	}
	if !o.Permits(token) {
		return http.StatusUnauthorized, "the access token is wrong"
	}
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return http.StatusRequestEntityTooLarge, "the body is too large"
	case err != nil:
		return http.StatusBadRequest, "the body cannot be read"
	}
	h, err := decode(data)
	if err != nil {
		return http.StatusBadRequest, strings.ReplaceAll(err.Error(), "\n", ", ")
	}
	err = o.Accept(r.Context(), h)
	var refused *xxladapter.Error
	switch {
	case errors.As(err, &refused):
		return http.StatusConflict, refused.Message
	case errors.Is(err, ErrBusy):
		return http.StatusServiceUnavailable, err.Error()
	case err != nil:
		return http.StatusServiceUnavailable, "the store cannot be read"
	}
	return http.StatusNoContent, ""
}
