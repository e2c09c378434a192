package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// statuses maps the codes of user errors to HTTP statuses.
var statuses = map[xxladapter.Code]int{
	xxladapter.CodeInvalid:      http.StatusBadRequest,
	xxladapter.CodeNotFound:     http.StatusNotFound,
	xxladapter.CodeConflict:     http.StatusConflict,
	xxladapter.CodeFenced:       http.StatusConflict,
	xxladapter.CodeUnauthorized: http.StatusUnauthorized,
	xxladapter.CodeForbidden:    http.StatusForbidden,
	xxladapter.CodeUnreachable:  http.StatusBadGateway,
}

// statusOf returns the HTTP status of a user error. A code without a status is a fault of this
// process.
func statusOf(code xxladapter.Code) int {
	if status, known := statuses[code]; known {
		return status
	}
	return http.StatusInternalServerError
}

// An apiError is the body of every answer that is not 200.
type apiError struct {
	Code    xxladapter.Code `json:"code" doc:"What went wrong, for programs: invalid, not_found, conflict, unauthorized, forbidden, unreachable or internal."`
	Message string          `json:"message" doc:"What went wrong, for people: field, value and rule on one line."`
}

// api returns a handler that answers with the result of handle.
func (s *Server) api(handle apiHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var value any
		err := s.mayCall(r)
		if err == nil {
			if r.Body != nil {
				r.Body = http.MaxBytesReader(w, r.Body, wire.MaxBody)
			} else { // not a server's request
				r.Body = http.NoBody
			}
			value, err = handle(r.WithContext(xxladapter.ForUser(r.Context())))
		}
		status := http.StatusOK
		if err != nil {
			status, value = s.apiError(r, err)
		}
		var method *methodError
		if errors.As(err, &method) {
			w.Header().Set("Allow", strings.Join(method.allowed, ", "))
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(value) // the caller may be gone
	})
}

func (s *Server) apiError(r *http.Request, err error) (int, apiError) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return http.StatusRequestEntityTooLarge,
			apiError{xxladapter.CodeInvalid, fmt.Sprintf("request body is over %d bytes", tooLarge.Limit)}
	}
	var method *methodError
	if errors.As(err, &method) {
		return http.StatusMethodNotAllowed, apiError{xxladapter.CodeInvalid, oneLine(method.Error())}
	}
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		return statusOf(forUser.Code), apiError{forUser.Code, oneLine(forUser.Message)}
	}
	if errors.Is(err, xxladapter.ErrNotFound) {
		return http.StatusNotFound, apiError{xxladapter.CodeNotFound, "not found"}
	}
	s.opts.Logger.Error("call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	return http.StatusInternalServerError, apiError{"internal", "internal error"}
}

// oneLine returns text that a caller may have influenced, without line breaks and other control
// characters.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// A methodError refuses a method that a path does not have.
type methodError struct {
	method, path string
	allowed      []string
}

func (e *methodError) Error() string {
	return fmt.Sprintf("method is %s, must be one of %s for %s", e.method, strings.Join(e.allowed, ", "), e.path)
}

// noCall answers requests below the management API's path that are not calls.
func (s *Server) noCall(r *http.Request) (any, error) {
	var allowed []string
	for _, method := range []string{http.MethodDelete, http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut} {
		other := r.Clone(r.Context())
		other.Method = method
		if _, pattern := s.mux.Handler(other); pattern != apiBase+"/" {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		return nil, &methodError{r.Method, r.URL.Path, allowed}
	}
	return nil, xxladapter.NotFoundf("no call %s %s", r.Method, r.URL.Path)
}
