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

// statuses turns the codes of user errors into status lines.
var statuses = map[xxladapter.Code]int{
	xxladapter.CodeInvalid:      http.StatusBadRequest,
	xxladapter.CodeNotFound:     http.StatusNotFound,
	xxladapter.CodeConflict:     http.StatusConflict,
	xxladapter.CodeFenced:       http.StatusConflict,
	xxladapter.CodeUnauthorized: http.StatusUnauthorized,
	xxladapter.CodeForbidden:    http.StatusForbidden,
	xxladapter.CodeUnreachable:  http.StatusBadGateway,
}

// An apiError is the body of every answer that is not 200.
type apiError struct {
	Code    xxladapter.Code `json:"code" doc:"What went wrong, for programs: invalid, not_found, conflict, unauthorized, forbidden, unreachable or internal."`
	Message string          `json:"message" doc:"What went wrong, for people: field, value and rule on one line."`
}

// api answers with what handle returns.
func (s *Server) api(handle apiHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var value any
		err := s.mayCall(r)
		if err == nil {
			r.Body = http.MaxBytesReader(w, r.Body, wire.MaxBody)
			value, err = handle(r.WithContext(xxladapter.ForUser(r.Context())))
		}
		status := http.StatusOK
		if err != nil {
			status, value = s.apiError(r, err)
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
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		return statuses[forUser.Code], apiError{forUser.Code, oneLine(forUser.Message)}
	}
	if errors.Is(err, xxladapter.ErrNotFound) {
		return http.StatusNotFound, apiError{xxladapter.CodeNotFound, "not found"}
	}
	s.opts.Logger.Error("call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	return http.StatusInternalServerError, apiError{"internal", "internal error"}
}

// oneLine is text that a caller had a part in, without line breaks and whatever
// else moves a terminal's cursor.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// noCall answers what is below the management API's path and is no call.
func (s *Server) noCall(r *http.Request) (any, error) {
	return nil, xxladapter.NotFoundf("no call %s %s", r.Method, r.URL.Path)
}
