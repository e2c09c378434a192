package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An executorOp handles the body of one operation for the caller by. The payload goes into the
// reply; an error becomes the text of a reply with code 500.
type executorOp func(s *Server, ctx context.Context, by access.Caller, body []byte) (payload any, err error)

// executorOps holds the operations by their names in lower case, because some releases of the
// common Go executor post to RegistryRemove.
var executorOps = map[string]executorOp{
	strings.ToLower(wire.OpRegistry):       (*Server).register,
	strings.ToLower(wire.OpRegistryRemove): (*Server).unregister,
	strings.ToLower(wire.OpCallback):       (*Server).callback,
	strings.ToLower(wire.OpAccept):         (*Server).accept,
	strings.ToLower(wire.OpFeed):           (*Server).feed,
	strings.ToLower(wire.OpAddJob):         jobCall(wire.OpAddJob, (*Server).addJobCall),
	strings.ToLower(wire.OpUpdateJob):      jobCall(wire.OpUpdateJob, (*Server).updateJobCall),
	strings.ToLower(wire.OpRemoveJob):      jobCall(wire.OpRemoveJob, (*Server).removeJobCall),
	strings.ToLower(wire.OpStartJob):       jobCall(wire.OpStartJob, (*Server).startJobCall),
	strings.ToLower(wire.OpStopJob):        jobCall(wire.OpStopJob, (*Server).stopJobCall),
	strings.ToLower(wire.OpTriggerJob):     jobCall(wire.OpTriggerJob, (*Server).triggerJobCall),
	strings.ToLower(wire.OpDeclare):        (*Server).declareCall,
}

// executorCall checks in upstream's order (JobApiController.api): method, operation, body, token,
// known operation. Then it runs the operation.
func (s *Server) executorCall(w http.ResponseWriter, r *http.Request) {
	op := r.PathValue("op")
	if r.Method != http.MethodPost {
		s.reply(w, wire.Fail(wire.MsgMethod))
		return
	}
	if strings.TrimSpace(op) == "" {
		s.reply(w, wire.Fail(wire.MsgNoOperation))
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, wire.MaxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		w.Header().Set("Content-Type", wire.ContentType)
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		s.write(w, wire.Fail(fmt.Sprintf("request body is over %d bytes", wire.MaxBody)))
		return
	}
	if err != nil {
		s.reply(w, wire.Fail(wire.PrefixOpenAPIErr+"read request body: "+err.Error()))
		return
	}
	if len(strings.TrimSpace(string(body))) == 0 {
		s.reply(w, wire.Fail(wire.MsgEmptyBody))
		return
	}
	if err := s.executorPages.Check(r); err != nil {
		s.reply(w, wire.Fail("invalid request, "+err.Error()))
		return
	}
	appName := r.Header.Get(wire.HeaderAppName)
	by, ok, err := s.opts.Tokens.Caller(r.Context(), api.Bearer(r), appName)
	switch {
	case err != nil:
		s.reply(w, wire.Fail(s.userText(op, err)))
		return
	case !ok && appName != "":
		s.reply(w, wire.Fail(wire.MsgWrongAppToken))
		return
	case !ok:
		s.reply(w, wire.Fail(wire.MsgWrongToken))
		return
	}
	if app, ok := access.QueuedApp(r.Context()); ok {
		by = by.Within(app)
	}
	do, ok := executorOps[strings.ToLower(op)]
	if !ok {
		s.reply(w, wire.Fail(wire.NotFound(op)))
		return
	}
	payload, err := do(s, byExecutor(r, appName), by, body)
	switch {
	case errors.Is(err, errTooMany):
		s.reply(w, wire.Reply{Code: wire.CodeTooMany, Msg: wire.MsgTooMany})
	case err != nil:
		s.reply(w, wire.Fail(s.userText(op, err)))
	case payload != nil:
		s.reply(w, wire.OK().WithPayload(payload))
	default:
		s.reply(w, wire.OK())
	}
}

// userText returns the part of an error that the caller may read.
func (s *Server) userText(op string, err error) string {
	var bad *badBodyError
	if errors.As(err, &bad) {
		return wire.PrefixOpenAPIErr + bad.Error()
	}
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		return forUser.Message
	}
	s.opts.Logger.Error("executor call failed", "operation", op, "err", err)
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

func (s *Server) register(ctx context.Context, by access.Caller, body []byte) (any, error) {
	reg, err := registration(by, body)
	if err != nil {
		return nil, err
	}
	if err := s.checkKey(ctx, reg.Key); err != nil {
		return nil, err
	}
	if err := s.opts.Addresses.CheckURL("registryValue", reg.Value); err != nil {
		return nil, err
	}
	if at, queued := xxladapter.ParseQueueAddress(reg.Value); queued && (at.App != reg.Key || at.Instance == "") {
		return nil, xxladapter.Invalidf("registryValue is %q, must be nats://app/name with the app of registryKey", reg.Value)
	}
	return nil, s.opts.Store.Register(ctx, reg.Key, reg.Value)
}

// checkKey refuses an app name that is not valid for a group, unless another tool has created a
// group with it.
func (s *Server) checkKey(ctx context.Context, key string) error {
	invalid := xxladapter.CheckAppName("registryKey", key)
	if invalid == nil {
		return nil
	}
	if g, err := s.findGroup(ctx, key); err != nil || g != nil {
		return err
	}
	return invalid
}

func (s *Server) unregister(ctx context.Context, by access.Caller, body []byte) (any, error) {
	reg, err := registration(by, body)
	if err != nil {
		return nil, err
	}
	return nil, s.opts.Store.Unregister(ctx, reg.Key, reg.Value)
}

func registration(by access.Caller, body []byte) (wire.Registry, error) {
	var reg wire.Registry
	if err := decodeBody(body, &reg); err != nil {
		return reg, err
	}
	reg.Group, reg.Key, reg.Value = strings.TrimSpace(reg.Group), strings.TrimSpace(reg.Key), strings.TrimSpace(reg.Value)
	switch {
	case reg.Group == "" || reg.Key == "" || reg.Value == "":
		return reg, xxladapter.Invalidf("%s", wire.MsgIllegal)
	case reg.Group != wire.RegistryGroup:
		return reg, xxladapter.Invalidf("registryGroup is %q, must be %s", reg.Group, wire.RegistryGroup)
	case !by.May(reg.Key):
		return reg, xxladapter.Invalidf("registryKey is %q, must be the app that the access token is for", reg.Key)
	}
	return reg, nil
}

// callback acknowledges only results that are stored. Upstream acknowledges first, and loses
// results that it then fails to store.
func (s *Server) callback(ctx context.Context, by access.Caller, body []byte) (any, error) {
	var list wire.Callbacks
	if err := decodeBody(body, &list); err != nil {
		return nil, err
	}
	for i, c := range list {
		if c.LogID == 0 { // the result would be lost
			return nil, &badBodyError{fmt.Errorf("callback %d has no logId, must have that of its run", i)}
		}
	}
	if !by.Any() {
		var foreign foreignRuns
		err := s.opts.Completer.CompleteOwn(ctx, list, s.ownOf(by, &foreign))
		if foreign.n > 0 {
			s.opts.Logger.Warn("results of runs of other apps ignored", "results", foreign.n, "log", foreign.one)
		}
		return nil, err
	}
	return nil, s.opts.Completer.Complete(ctx, list)
}

// foreignRuns counts results of runs of other apps.
type foreignRuns struct {
	n   int
	one int64 // the log id of one of them
}

// ownOf returns whether a caller that acts for some apps alone may report the result of a run: one
// that was given to an executor of theirs, or, over HTTP, one of their group. To the caller other
// runs do not exist, and results of unknown runs are ignored too: refusing one would block the
// other results of its batch forever.
func (s *Server) ownOf(by access.Caller, foreign *foreignRuns) trigger.Own {
	var mu sync.Mutex // guards foreign and apps; held while the store is asked for an app, so that one call asks
	apps := make(map[int64]string)
	return func(ctx context.Context, l *xxladapter.Log) (bool, error) {
		mu.Lock()
		defer mu.Unlock()
		app := ""
		if at, queued := xxladapter.ParseQueueAddress(l.Address); queued {
			app = at.App
		} else if known, ok := apps[l.GroupID]; ok {
			app = known
		} else {
			var err error
			if app, err = s.appOf(ctx, l.GroupID); err != nil {
				return false, err
			}
			apps[l.GroupID] = app
		}
		if !by.May(app) {
			foreign.n++
			foreign.one = l.ID
			return false, nil
		}
		return true, nil
	}
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

// cutName truncates a name that a caller has chosen to the 255 characters of an actor's name.
func cutName(name string) string {
	if runes := []rune(name); len(runes) > 255 {
		return string(runes[:255])
	}
	return name
}
