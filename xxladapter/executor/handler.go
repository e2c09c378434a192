package executor

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrTimeout makes the run's result "timed out" (code 502) instead of "failed" if the handler's
// error is or wraps it.
var ErrTimeout = errors.New("executor: run timed out")

// A HandlerFunc does one run. Its context is cancelled when the run is killed, covered by a later
// one or exceeds its time limit, when the job gets another handler or script, and, after
// [Options.StopGrace], when the executor stops; it should then return soon. A nil error is success.
// Any other error is a failure whose text goes to the scheduler. A panic is a failure whose stack
// goes to the run's log.
//
// Two runs of one job do not overlap, except after [Options.AbandonAfter]. Runs of different jobs
// do.
type HandlerFunc = func(ctx context.Context, run *Run) error

// handler holds the functions of a handler name or of a script.
type handler struct {
	name    string
	run     HandlerFunc
	init    func(ctx context.Context) error // may be nil
	destroy func()                          // may be nil
}

// A HandlerOption adds to a handler.
type HandlerOption func(*handler)

// WithInit makes f be called before a job's first run, and again before the first run after the job
// was idle, killed or covered, or had another handler or script. An error of f is logged, and the
// run continues. A run that is killed or covered meanwhile ends without a call of its handler. If
// several jobs name the handler, f is called for each of them, possibly at the same time. XXL-JOB:
// JobThread calls init once per thread.
func WithInit(f func(ctx context.Context) error) HandlerOption {
	return func(h *handler) { h.init = f }
}

// WithDestroy makes f be called when the job was idle for [Options.IdleAfter], was killed or
// covered, or got another handler or script, or when the executor stops, as soon as the job's runs
// have returned. It is called once for every call of init.
func WithDestroy(f func()) HandlerOption {
	return func(h *handler) { h.destroy = f }
}

// Handle registers f under the name that jobs refer to. It may be called before and during Run,
// from any goroutine. It refuses a name that is empty or taken.
func (e *Executor) Handle(name string, f func(ctx context.Context, run *Run) error, opts ...HandlerOption) error {
	switch {
	case strings.TrimSpace(name) == "":
		return fmt.Errorf("executor: handler name is %q, must not be empty", name)
	case f == nil:
		return fmt.Errorf("executor: handler %q has no function", name)
	}
	h := &handler{name: name, run: f}
	for _, opt := range opts {
		opt(h)
	}
	if _, taken := e.handlers.LoadOrStore(name, h); taken {
		return fmt.Errorf("executor: handler name %q is taken", name)
	}
	return nil
}

// HandleMethods registers every exported method of receiver that has the signature of a handler,
// under its name with a lower-case first letter: CloseOrders becomes closeOrders. If receiver also
// has methods Init(context.Context) error or Destroy(), they serve as [WithInit] and [WithDestroy]
// for all of them.
//
// HandleMethods stops at the first name that is taken; the methods before it are registered. It
// refuses a receiver without such a method.
func (e *Executor) HandleMethods(receiver any) error {
	if receiver == nil {
		return errors.New("executor: HandleMethods: receiver is nil, must not be nil")
	}
	var opts []HandlerOption
	if r, ok := receiver.(interface{ Init(context.Context) error }); ok {
		opts = append(opts, WithInit(r.Init))
	}
	if r, ok := receiver.(interface{ Destroy() }); ok {
		opts = append(opts, WithDestroy(r.Destroy))
	}
	v, found := reflect.ValueOf(receiver), false
	for i := range v.NumMethod() {
		f, ok := v.Method(i).Interface().(func(context.Context, *Run) error)
		if !ok {
			continue
		}
		found = true
		name := v.Type().Method(i).Name
		first, size := utf8.DecodeRuneInString(name)
		if err := e.Handle(string(unicode.ToLower(first))+name[size:], f, opts...); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("executor: %T has no method func(context.Context, *Run) error", receiver)
	}
	return nil
}
