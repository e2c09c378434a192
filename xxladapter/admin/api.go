package admin

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// routes registers the management API.
func (s *Server) routes() {
	for pattern, handle := range map[string]apiHandler{
		"GET /api/v1/jobs":               s.listJobs,
		"POST /api/v1/jobs":              s.createJob,
		"GET /api/v1/jobs/{id}":          s.showJob,
		"PUT /api/v1/jobs/{id}":          s.updateJob,
		"DELETE /api/v1/jobs/{id}":       s.removeJob,
		"POST /api/v1/jobs/{id}/start":   s.startJob,
		"POST /api/v1/jobs/{id}/stop":    s.stopJob,
		"POST /api/v1/jobs/{id}/trigger": s.triggerJob,
		"GET /api/v1/groups":             s.listGroups,
		"POST /api/v1/groups":            s.createGroup,
		"GET /api/v1/logs":               s.listLogs,
		"GET /api/v1/logs/{id}":          s.showLog,
		"GET /api/v1/logs/{id}/text":     s.runLog,
		"POST /api/v1/logs/{id}/kill":    s.killRun,
	} {
		s.mux.Handle(pattern, s.api(handle))
	}
	s.mux.Handle("/api/v1/", s.api(func(r *http.Request) (any, error) {
		return nil, &xxladapter.Error{
			Code: xxladapter.CodeNotFound, Message: fmt.Sprintf("no call %s %s", r.Method, r.URL.Path),
		}
	}))
	s.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("ok\n"))
	})
}

// An apiHandler answers with a value to encode (nil: an empty object), or with
// an error.
type apiHandler func(r *http.Request) (any, error)

// statuses turns the codes of user errors into status lines.
var statuses = map[xxladapter.Code]int{
	xxladapter.CodeInvalid:      http.StatusBadRequest,
	xxladapter.CodeNotFound:     http.StatusNotFound,
	xxladapter.CodeConflict:     http.StatusConflict,
	xxladapter.CodeUnauthorized: http.StatusUnauthorized,
	xxladapter.CodeUnreachable:  http.StatusBadGateway,
}

type apiError struct {
	Code    xxladapter.Code `json:"code"`
	Message string          `json:"message"`
}

func (s *Server) api(handle apiHandler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var value any
		var err error
		if s.authorized(r) {
			r.Body = http.MaxBytesReader(w, r.Body, wire.MaxBody)
			value, err = handle(r)
		} else {
			err = &xxladapter.Error{Code: xxladapter.CodeUnauthorized, Message: wire.MsgWrongToken}
		}
		status := http.StatusOK
		if err != nil {
			status, value = s.apiError(r, err)
		} else if value == nil {
			value = struct{}{}
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
		return statuses[forUser.Code], apiError{forUser.Code, forUser.Message}
	}
	if errors.Is(err, xxladapter.ErrNotFound) {
		return http.StatusNotFound, apiError{xxladapter.CodeNotFound, "not found"}
	}
	s.opts.Logger.Error("call failed", "method", r.Method, "path", r.URL.Path, "err", err)
	return http.StatusInternalServerError, apiError{"internal", "internal error"}
}

// decodeStrict reads a body of our own API: unknown fields are refused, since
// they are most likely misspelled.
func decodeStrict(r *http.Request, v any) error {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := d.Decode(v)
	var tooLarge *http.MaxBytesError
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil && d.More():
		return xxladapter.Invalidf("request body has more than one JSON value")
	case err == nil:
		return nil
	case errors.As(err, &tooLarge):
		return err
	case errors.As(err, &wrongType) && wrongType.Field != "":
		return xxladapter.Invalidf("%s is a JSON %s, must be a %s", wrongType.Field, wrongType.Value, wrongType.Type)
	}
	return xxladapter.Invalidf("request body: %s", strings.TrimPrefix(err.Error(), "json: "))
}

func pathID(r *http.Request) (int64, error) {
	text := r.PathValue("id")
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 {
		return 0, xxladapter.Invalidf("id is %q, must be a positive integer", text)
	}
	return id, nil
}

// queryInt reads an optional number of the query, 0 when it is not there.
func queryInt(r *http.Request, name string) (int64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return 0, xxladapter.Invalidf("%s is %q, must be an integer of 0 or more", name, text)
	}
	return n, nil
}
