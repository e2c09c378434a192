package xxladapter

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

var (
	// ErrNotFound is returned for an id or a name that the store does not have. Nothing was
	// changed.
	ErrNotFound = errors.New("xxladapter: not found")

	// ErrConflict is returned when something is no longer in the state that the call needs, for
	// example a fire that another node claimed first. Nothing was changed.
	ErrConflict = errors.New("xxladapter: state changed meanwhile")

	// ErrEarly is returned for a claim of a fire that is not due yet by the store's clock; the
	// error is an [EarlyError]. Nothing was changed.
	ErrEarly = errors.New("xxladapter: not due yet")

	// ErrFenced is returned to a scheduler that acts in a term that is over. Nothing was changed.
	ErrFenced = errors.New("xxladapter: term is over")

	// ErrInDoubt is returned when the store's answer was lost, for example with the connection. The
	// call may have happened, may still happen, or may never happen; only reading the store tells.
	ErrInDoubt = errors.New("xxladapter: the store's answer was lost")
)

// A Code classifies the errors that a user may read.
type Code string

const (
	CodeInvalid      Code = "invalid"      // the request breaks a rule that the message names
	CodeNotFound     Code = "not_found"    // the thing does not exist
	CodeConflict     Code = "conflict"     // the thing exists, but is not in the required state
	CodeFenced       Code = "fenced"       // the scheduler node has no lease, or not the one it acts under
	CodeUnauthorized Code = "unauthorized" // no valid token, session or login
	CodeForbidden    Code = "forbidden"    // the caller's rights do not permit this call
	CodeTooMany      Code = "too_many"     // the caller has tried too often
	CodeUnreachable  Code = "unreachable"  // an executor gives no answer, or an unexpected one
)

// An Error carries a message for the user, and says what it is about. Any other error is for the
// log, and the user gets "internal error" instead.
type Error struct {
	Code    Code
	Message string
	// Rule is the rule that is broken, and Args are the values of its parameters, in their order,
	// perhaps without the last ones. Both are the zero value if Message says all that is known.
	Rule errorrule.Rule
	Args []any
	Err  error // the cause; may be nil
	// RetryAfter is how long the caller has to wait before it tries again; 0 means that the error
	// does not say.
	RetryAfter time.Duration

	format string // makes Message from Args; empty for a message that is fixed
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Params returns the values of the rule's parameters by their names.
func (e *Error) Params() map[string]string {
	params := map[string]string{}
	for i, name := range e.Rule.Params() {
		if i < len(e.Args) {
			params[name] = errorrule.Text(e.Args[i])
		}
	}
	return params
}

// Field returns the name of the field that the error is about, or nothing if it is about none.
func (e *Error) Field() string { return e.Params()[errorrule.Field] }

// MessageFor returns the message for somebody who knows the field by another name, such as that of
// a flag.
func (e *Error) MessageFor(field string) string {
	if e.Field() == "" || e.format == "" {
		return e.Message
	}
	args := slices.Clone(e.Args)
	args[slices.Index(e.Rule.Params(), errorrule.Field)] = field
	return fmt.Sprintf(e.format, args...)
}

// An EarlyError is an [ErrEarly]. It occurs when an estimate of the store's clock is ahead of that
// clock: by a little between two readings, or by more after the clock was set back.
type EarlyError struct {
	FireID int64
	Due    time.Time
	Now    time.Time // by the store's clock, in whole milliseconds
}

func (e *EarlyError) Error() string {
	return fmt.Sprintf("fire %d is due at %v, and it is %v", e.FireID, e.Due, e.Now)
}

func (e *EarlyError) Unwrap() error { return ErrEarly }

// maxErrorText limits each text of a message, in bytes: a caller that sent a megabyte need not read
// it back.
const maxErrorText = 500

// Refusef returns an [Error] with a code. The message is formatted from args, which are the values
// of the rule's parameters. A format that does not show all of them, or shows them in another
// order, has explicit indexes, such as %[2]d. Texts among args are truncated, see [CutText].
func Refusef(code Code, r errorrule.Rule, format string, args ...any) *Error {
	cutTexts(args)
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Rule: r, Args: args, format: format}
}

func cutTexts(args []any) {
	for i, arg := range args {
		if text := reflect.ValueOf(arg); text.Kind() == reflect.String && text.Len() > maxErrorText {
			args[i] = CutText(text.String(), maxErrorText)
		}
	}
}

// Invalidf returns an [Error] with [CodeInvalid], as [Refusef] does. The message names the field,
// its value and the rule.
func Invalidf(r errorrule.Rule, format string, args ...any) error {
	return Refusef(CodeInvalid, r, format, args...)
}

// NotFoundf returns an [Error] with [CodeNotFound] that wraps [ErrNotFound], as [Refusef] does.
func NotFoundf(r errorrule.Rule, format string, args ...any) error {
	return refuseBecause(ErrNotFound, CodeNotFound, r, format, args...)
}

// Absent returns the [NotFoundf] of a thing that is known by its id. Kind is what the thing is,
// such as "job"; package errortext has it in Chinese.
func Absent(kind string, id int64) error {
	return NotFoundf(errorrule.NotFound, "%s %d does not exist", kind, id)
}

// Conflictf returns an [Error] with [CodeConflict] that wraps [ErrConflict], as [Refusef] does.
func Conflictf(r errorrule.Rule, format string, args ...any) error {
	return refuseBecause(ErrConflict, CodeConflict, r, format, args...)
}

// Fencedf returns an [Error] with [CodeFenced] that wraps [ErrFenced], as [Refusef] does.
func Fencedf(r errorrule.Rule, format string, args ...any) error {
	return refuseBecause(ErrFenced, CodeFenced, r, format, args...)
}

func refuseBecause(cause error, code Code, r errorrule.Rule, format string, args ...any) error {
	err := Refusef(code, r, format, args...)
	err.Err = cause
	return err
}

// BrokenRules are several rules that a value breaks, each an [Error].
type BrokenRules []error

// Error returns the messages of all rules in one line.
func (b BrokenRules) Error() string {
	var messages []string
	for _, err := range b {
		messages = append(messages, err.Error())
	}
	return strings.Join(messages, "; ")
}

// Together returns the rules as one error, which wraps them: none as nil, and a single one as it
// is.
func (b BrokenRules) Together() error {
	switch len(b) {
	case 0:
		return nil
	case 1:
		return b[0]
	}
	return refuseBecause(b, CodeInvalid, errorrule.Several, "%s", b)
}
