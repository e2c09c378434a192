package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errortext"
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
	xxladapter.CodeTooMany:      http.StatusTooManyRequests,
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

// An apiError is the body of every failed API call, also of one that has panicked.
type apiError struct {
	Code    xxladapter.Code `json:"code" doc:"What went wrong, for programs: invalid, not_found, conflict, unauthorized, forbidden, too_many, fenced, unreachable or internal."`
	Message string          `json:"message" doc:"What went wrong, for people: field, value and rule on one line."`
	// Rule, Params and Chinese are those of package errortext, for the errors that it knows.
	Rule    string            `json:"rule,omitempty" doc:"The rule that is broken, for programs: a code such as range or not_found that stays the same when the message is reworded."`
	Params  map[string]string `json:"params,omitempty" doc:"What the rule is about, by name: mostly field and value, and the limits that the rule has."`
	Chinese string            `json:"messageZh,omitempty" doc:"The message in Chinese."`
	// Conflicts are the fields that a conflict is about, if it was an edit.
	Conflicts []xxladapter.FieldConflict `json:"conflicts,omitempty" doc:"For an edit of what was changed meanwhile: the fields that differ."`
	// Problems are all that is wrong with declarations.
	Problems []declare.Problem `json:"problems,omitempty" doc:"For declarations that cannot be applied: all that is wrong with them."`
}

// publicBody limits the bodies of callers who need not be known, in bytes.
const publicBody = 16 << 10

// api returns a handler that answers callers with what n needs, with the result of handle.
func (s *Server) api(n need, handle apiHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var ctx context.Context
		err := recovered(func() (err error) {
			ctx, err = s.authenticate(r)
			return err
		})
		if ctx == nil {
			ctx = r.Context() // it has panicked
		}
		var refused *xxladapter.Error
		if n.public && errors.As(err, &refused) && refused.Code == xxladapter.CodeUnauthorized {
			err = nil
		}
		s.answer(w, r.WithContext(ctx), err, n, handle)
	})
}

// answer answers an authenticated caller with the result of handle, or with refused, which is why
// the caller is not authenticated.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, refused error, n need, handle apiHandler) {
	var value any
	err := refused
	if err == nil {
		r, err = admit(r, n)
	}
	if err == nil {
		if r.Body != nil {
			limit := int64(wire.MaxBody)
			if n.public {
				limit = publicBody
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
		} else { // not a server's request
			r.Body = http.NoBody
		}
		err = recovered(func() (err error) {
			value, err = handle(r.WithContext(xxladapter.ForUser(r.Context())))
			return err
		})
	}
	if answer, streams := value.(stream); streams && err == nil {
		answer.serve(w)
		return
	}
	status := http.StatusOK
	if err != nil {
		status, value = s.apiError(r, err)
	}
	var method *methodError
	if errors.As(err, &method) {
		w.Header().Set("Allow", strings.Join(method.allowed, ", "))
	}
	setRetryAfter(w, err)
	if cookie := visitOf(r.Context()).session; cookie != nil {
		http.SetCookie(w, cookie)
	}
	w.Header().Set("Cache-Control", "no-store")
	if file, ok := value.(download); ok {
		file(w)
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the caller may be gone
}

// setRetryAfter says when a refused call may be repeated, if the error does.
func setRetryAfter(w http.ResponseWriter, err error) {
	var user *xxladapter.Error
	if errors.As(err, &user) && user.RetryAfter > 0 {
		seconds := (user.RetryAfter + time.Second - 1) / time.Second // a shorter wait would fail again
		w.Header().Set("Retry-After", strconv.FormatInt(int64(seconds), 10))
	}
}

func (s *Server) apiError(r *http.Request, err error) (int, apiError) {
	status, answer, known := refusalOf(err)
	var p *panicError
	switch {
	case errors.As(err, &p):
		s.logPanic(r, p)
	case !known:
		s.opts.Logger.Error("call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	}
	return status, answer
}

// A panicError is a panic of the code that answers a request.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// recovered returns the error of f, or a panicError if f panics. [http.ErrAbortHandler] is not
// recovered: it asks the HTTP server to close the connection.
func recovered(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			err = &panicError{p, debug.Stack()}
		}
	}()
	return f()
}

func (s *Server) logPanic(r *http.Request, p *panicError) {
	s.opts.Logger.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p.value, "stack", string(p.stack))
}

// refusalOf returns what a caller may know of an error, and the status of the answer. known is
// false for an error that is for the log.
func refusalOf(err error) (status int, answer apiError, known bool) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		message := fmt.Sprintf("request body is over %d bytes", tooLarge.Limit)
		return http.StatusRequestEntityTooLarge, apiError{Code: xxladapter.CodeInvalid, Message: message}, true
	}
	var method *methodError
	if errors.As(err, &method) {
		return http.StatusMethodNotAllowed, apiError{Code: xxladapter.CodeInvalid, Message: oneLine(method.Error())}, true
	}
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		answer := toldError(forUser)
		var conflict *conflictError
		if errors.As(err, &conflict) {
			answer.Conflicts = conflict.fields
		}
		var declared *declarationError
		if errors.As(err, &declared) {
			answer.Problems, answer.Chinese = inChinese(declared.problems)
		}
		return statusOf(forUser.Code), answer, true
	}
	if errors.Is(err, xxladapter.ErrNotFound) {
		return http.StatusNotFound, apiError{Code: xxladapter.CodeNotFound, Message: "not found"}, true
	}
	return http.StatusInternalServerError, apiError{Code: "internal", Message: "internal error"}, false
}

// toldError returns an error for the user with the rule that it is about.
func toldError(err *xxladapter.Error) apiError {
	told := apiError{Code: err.Code, Message: oneLine(err.Message)}
	if broken, is := errortext.Of(err); is {
		for name, value := range broken.Params {
			broken.Params[name] = oneLine(value)
		}
		told.Rule, told.Params, told.Chinese = broken.Rule, broken.Params, oneLine(broken.Chinese)
	}
	return told
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
