package admin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An executorOp handles the body of one operation. Its error becomes the text
// of a reply with code 500.
type executorOp func(s *Server, ctx context.Context, body []byte) error

// executorOps has the operations by their names in lower case, because some
// releases of the common Go executor post to RegistryRemove.
var executorOps = map[string]executorOp{
	strings.ToLower(wire.OpRegistry):       (*Server).register,
	strings.ToLower(wire.OpRegistryRemove): (*Server).unregister,
	strings.ToLower(wire.OpCallback):       (*Server).callback,
}

// executorCall checks in upstream's order (JobApiController.api): method,
// operation, body, token, known operation; then it runs the operation.
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
	if !s.authorized(r) {
		s.reply(w, wire.Fail(wire.MsgWrongToken))
		return
	}
	do, ok := executorOps[strings.ToLower(op)]
	if !ok {
		s.reply(w, wire.Fail(wire.NotFound(op)))
		return
	}
	if err := do(s, r.Context(), body); err != nil {
		s.reply(w, wire.Fail(s.userText(op, err)))
		return
	}
	s.reply(w, wire.OK())
}

// userText is what the caller may read of an error.
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

// A badBodyError says why a body could not be read.
type badBodyError struct{ err error }

func (e *badBodyError) Error() string { return e.err.Error() }
func (e *badBodyError) Unwrap() error { return e.err }

func decodeBody(body []byte, v any) error {
	if err := wire.Decode(body, v); err != nil {
		return &badBodyError{err}
	}
	return nil
}

func (s *Server) register(ctx context.Context, body []byte) error {
	reg, err := registration(body)
	if err != nil {
		return err
	}
	if err := xxladapter.CheckAddress("registryValue", reg.Value); err != nil {
		return err
	}
	return s.opts.Store.Register(ctx, reg.Key, reg.Value)
}

func (s *Server) unregister(ctx context.Context, body []byte) error {
	reg, err := registration(body)
	if err != nil {
		return err
	}
	return s.opts.Store.Unregister(ctx, reg.Key, reg.Value)
}

func registration(body []byte) (wire.Registry, error) {
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
	case len(reg.Key) > 255:
		return reg, xxladapter.Invalidf("registryKey has %d bytes, must have at most 255", len(reg.Key))
	}
	return reg, nil
}

// callback acknowledges only what is stored. Upstream answers first, and loses
// what it then fails to store.
func (s *Server) callback(ctx context.Context, body []byte) error {
	var list wire.Callbacks
	if err := decodeBody(body, &list); err != nil {
		return err
	}
	return s.opts.Completer.Complete(ctx, list)
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
