package xxladapter

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
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
	CodeUnauthorized Code = "unauthorized" // token missing or wrong
	CodeForbidden    Code = "forbidden"    // the token does not permit this call
	CodeTooMany      Code = "too_many"     // the caller has tried too often
	CodeUnreachable  Code = "unreachable"  // an executor gives no answer, or an unexpected one
)

// An Error carries a message for the user. Any other error is for the log, and the user gets
// "internal error" instead.
type Error struct {
	Code    Code
	Message string
	// Format and Args are what Message was formatted from, so that it can be translated. They are
	// empty for a message without a format.
	Format string
	Args   []any
	Err    error // the cause; may be nil
	// RetryAfter is how long the caller has to wait before it tries again; 0 means that the error
	// does not say.
	RetryAfter time.Duration
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// An EarlyError is an [ErrEarly]. It occurs when the store's clock was set back, so that an
// estimate from an earlier reading is ahead of it.
type EarlyError struct {
	FireID int64
	Due    time.Time
	Now    time.Time // by the store's clock, in whole milliseconds
}

func (e *EarlyError) Error() string {
	return fmt.Sprintf("fire %d is due at %v, and it is %v", e.FireID, e.Due, e.Now)
}

func (e *EarlyError) Unwrap() error { return ErrEarly }

// maxErrorText limits each text of a message in bytes. A caller that sent a megabyte knows it.
const maxErrorText = 500

// Refusef returns an [Error] with a code. Texts among args are cut, see [CutText].
func Refusef(code Code, format string, args ...any) *Error {
	args = slices.Clone(args)
	for i, arg := range args {
		if text := reflect.ValueOf(arg); text.Kind() == reflect.String && text.Len() > maxErrorText {
			args[i] = CutText(text.String(), maxErrorText)
		}
	}
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// Invalidf returns an [Error] with [CodeInvalid]. The message names the field, its value and the
// rule.
func Invalidf(format string, args ...any) error {
	return Refusef(CodeInvalid, format, args...)
}

// NotFoundf returns an [Error] with [CodeNotFound] that wraps [ErrNotFound].
func NotFoundf(format string, args ...any) error {
	return refuseBecause(ErrNotFound, CodeNotFound, format, args...)
}

// Conflictf returns an [Error] with [CodeConflict] that wraps [ErrConflict].
func Conflictf(format string, args ...any) error {
	return refuseBecause(ErrConflict, CodeConflict, format, args...)
}

// Fencedf returns an [Error] with [CodeFenced] that wraps [ErrFenced].
func Fencedf(format string, args ...any) error {
	return refuseBecause(ErrFenced, CodeFenced, format, args...)
}

func refuseBecause(cause error, code Code, format string, args ...any) error {
	err := Refusef(code, format, args...)
	err.Err = cause
	return err
}

// BrokenRules are several rules that a value breaks, each an [Error].
type BrokenRules []error

// Error returns the messages of all in one line.
func (b BrokenRules) Error() string {
	var messages []string
	for _, err := range b {
		messages = append(messages, err.Error())
	}
	return strings.Join(messages, "; ")
}
