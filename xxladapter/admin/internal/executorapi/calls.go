package executorapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxResults limits the results of one call, in bytes. Executors before XXL-JOB 3.4.1 report in one
// call whatever has accumulated while no admin answered. If it is refused, they repeat it forever.
const maxResults = 64 << 20

// An operation handles the body of one call; by is the caller. The payload goes into the reply. An
// error becomes the text of a reply, with [wire.CodeTooMany] for errTooMany and code 500 for any
// other.
type operation func(s *Server, ctx context.Context, by access.Caller, body []byte) (payload any, err error)

// operations holds the operations by their names in lower case, because some releases of the
// common Go executor post to RegistryRemove.
var operations = map[string]operation{
	strings.ToLower(wire.OpRegistry):       (*Server).register,
	strings.ToLower(wire.OpRegistryRemove): (*Server).unregister,
	strings.ToLower(wire.OpCallback):       (*Server).callback,
	strings.ToLower(wire.OpAccept):         (*Server).accept,
	strings.ToLower(wire.OpFeed):           (*Server).feed,
	strings.ToLower(wire.OpAddJob):         jobCall(wire.OpAddJob, Jobs.AddJob),
	strings.ToLower(wire.OpUpdateJob):      jobCall(wire.OpUpdateJob, Jobs.UpdateJob),
	strings.ToLower(wire.OpRemoveJob):      jobCall(wire.OpRemoveJob, Jobs.RemoveJob),
	strings.ToLower(wire.OpStartJob):       jobCall(wire.OpStartJob, Jobs.StartJob),
	strings.ToLower(wire.OpStopJob):        jobCall(wire.OpStopJob, Jobs.StopJob),
	strings.ToLower(wire.OpTriggerJob):     jobCall(wire.OpTriggerJob, Jobs.TriggerJob),
	strings.ToLower(wire.OpDeclare):        (*Server).declare,
}

// refusedBody limits in bytes what is read of the body of a caller without a valid token.
const refusedBody = 64 << 10

// answer checks in upstream's order (OpenApiController.java of 3.3.2): method, operation, body,
// token, known operation. Then it runs the operation. The token is looked up before the body is
// read, because it decides how much of the body is kept in memory.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	op := r.PathValue("op")
	if r.Method != http.MethodPost {
		s.reply(w, wire.Fail(wire.MsgMethod))
		return
	}
	if strings.TrimSpace(op) == "" {
		s.reply(w, wire.Fail(wire.MsgNoOperation))
		return
	}
	appName := r.Header.Get(wire.HeaderAppName)
	by, refusal := s.caller(r, op, appName)
	limit := int64(wire.MaxBody)
	switch {
	case refusal != "":
		limit = refusedBody
	case strings.EqualFold(op, wire.OpCallback) && exceeds(r, limit):
		if err := s.large.Acquire(r.Context(), 1); err != nil {
			return // the caller has left
		}
		defer s.large.Release(1)
		limit = maxResults
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge) && refusal != "": // answered below, as a shorter one
	case tooLarge != nil:
		w.Header().Set("Content-Type", wire.ContentType)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		s.write(w, wire.Fail(fmt.Sprintf("request body is over %d bytes", limit)))
		return
	case err != nil:
		s.reply(w, wire.Fail(wire.PrefixOpenAPIErr+"read request body: "+err.Error()))
		return
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		s.reply(w, wire.Fail(wire.MsgEmptyBody))
		return
	}
	if refusal != "" {
		s.reply(w, wire.Fail(refusal))
		return
	}
	if app, ok := access.QueuedApp(r.Context()); ok {
		if by = by.Within(app); !by.May(app) {
			s.reply(w, wire.Fail(wire.MsgWrongAppToken))
			return
		}
		appName = app // whatever the call says
	}
	do, ok := operations[strings.ToLower(op)]
	if !ok {
		s.reply(w, wire.Fail(wire.NotFound(op)))
		return
	}
	if appName == "" { // an executor before XXL-JOB 3.5
		appName, _ = by.Own()
	}
	ctx := context.WithValue(byExecutor(r, appName), tokenKey{}, api.Bearer(r))
	payload, err := do(s, ctx, by, body)
	switch {
	case errors.Is(err, errTooMany):
		s.reply(w, wire.Reply{Code: wire.CodeTooMany, Msg: wire.MsgTooMany})
	case err != nil:
		s.reply(w, wire.Fail(s.userText(r.Context(), op, err)))
	case payload != nil:
		s.reply(w, wire.OK().WithPayload(payload))
	default:
		s.reply(w, wire.OK())
	}
}

// exceeds reports whether the body of r has more bytes than limit. If its length is not known, as
// behind a proxy that passes bodies on in chunks, exceeds reads that many, and puts them back.
func exceeds(r *http.Request, limit int64) bool {
	if r.ContentLength >= 0 {
		return r.ContentLength > limit
	}
	var begin bytes.Buffer
	n, _ := io.CopyN(&begin, r.Body, limit+1) // a body that fails to be read fails again
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(&begin, r.Body), r.Body}
	return n > limit
}

// caller identifies who makes a call. refusal is the answer to a caller who may make none.
func (s *Server) caller(r *http.Request, op, appName string) (by access.Caller, refusal string) {
	if err := s.opts.Pages.Check(r); err != nil {
		return by, "invalid request, " + err.Error()
	}
	by, ok, err := s.opts.Tokens.Caller(r.Context(), api.Bearer(r), appName)
	switch {
	case err != nil:
		return by, s.userText(r.Context(), op, err)
	case !ok && appName != "":
		return by, wire.MsgWrongAppToken
	case !ok:
		return by, wire.MsgWrongToken
	}
	return by, ""
}

// userText returns the part of an error that the caller may read, and logs an error that has none.
func (s *Server) userText(ctx context.Context, op string, err error) string {
	var bad *badBodyError
	if errors.As(err, &bad) {
		return wire.PrefixOpenAPIErr + bad.Error()
	}
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		return forUser.Message
	}
	if ctx.Err() != nil {
		s.opts.Logger.Info("executor call broken off", "operation", op, "err", err)
	} else {
		s.opts.Logger.Error("executor call failed", "operation", op, "err", err)
	}
	return wire.PrefixOpenAPIErr + "internal error"
}

// A badBodyError says why a body could not be decoded.
type badBodyError struct{ err error }

func (e *badBodyError) Error() string { return e.err.Error() }
func (e *badBodyError) Unwrap() error { return e.err }

func decodeBody(body []byte, v any) error {
	if err := wire.Decode(body, v); err != nil {
		return &badBodyError{err}
	}
	return nil
}

func (s *Server) reply(w http.ResponseWriter, r wire.Reply) {
	w.Header().Set("Content-Type", wire.ContentType)
	s.write(w, r)
}

func (s *Server) write(w io.Writer, r wire.Reply) {
	data, err := r.MarshalAdmin()
	if err != nil {
		s.opts.Logger.Error("encode reply", "err", err)
		return
	}
	_, _ = w.Write(data) // the caller may be gone
}

// byExecutor returns the context of a call in the executors' protocol. The handlers of such calls
// check the caller's apps themselves.
func byExecutor(r *http.Request, appName string) context.Context {
	ctx := xxladapter.WithActor(r.Context(), xxladapter.Actor{
		Kind: xxladapter.ActorExecutor, Name: cutName(appName), Address: api.AddressOf(r),
	})
	return access.WithRights(ctx, access.RightsForAll(xxladapter.RoleAdmin))
}

// tokenKey marks the token of a call in its context.
type tokenKey struct{}

// sentToken returns the token with which a call in the executors' protocol came.
func sentToken(ctx context.Context) string {
	token, _ := ctx.Value(tokenKey{}).(string)
	return token
}

// cutName truncates a name that a caller has chosen to the 255 characters of an actor's name.
func cutName(name string) string {
	if runes := []rune(name); len(runes) > 255 {
		return string(runes[:255])
	}
	return name
}

// Operations returns the names of all operations, in lower case.
func Operations() []string { return slices.Sorted(maps.Keys(operations)) }
