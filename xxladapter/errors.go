package xxladapter

import (
	"errors"
	"fmt"
)

var (
	// ErrNotFound is returned for an id or a name that the store does not have.
	// Nothing was changed.
	ErrNotFound = errors.New("xxladapter: not found")

	// ErrConflict is returned when the thing is no longer in the state that the
	// call needs, for example a fire that another node claimed first. Nothing
	// was changed.
	ErrConflict = errors.New("xxladapter: state changed meanwhile")

	// ErrFenced is returned to a scheduler that acts in a term which is over.
	// Nothing was changed.
	ErrFenced = errors.New("xxladapter: term is over")
)

// A Code sorts the errors that a user may read.
type Code string

const (
	CodeInvalid      Code = "invalid"      // the request breaks a rule that the message names
	CodeNotFound     Code = "not_found"    // the thing does not exist
	CodeConflict     Code = "conflict"     // the thing exists, but not in the needed state
	CodeFenced       Code = "fenced"       // the scheduler node has no lease, or not the one it acts under
	CodeUnauthorized Code = "unauthorized" // token missing or wrong
	CodeForbidden    Code = "forbidden"    // token right, and not for this
	CodeUnreachable  Code = "unreachable"  // an executor does not answer, or not as asked
)

// An Error carries a message that is meant for the user as it is. Any other
// error is for the log, and a user is told "internal error" instead.
type Error struct {
	Code    Code
	Message string
	Err     error // the cause; may be nil
}

func (e *Error) Error() string { return e.Message }

func (e *Error) Unwrap() error { return e.Err }

// Invalidf returns an [Error] with [CodeInvalid]. The message names the field,
// its value and the rule.
func Invalidf(format string, args ...any) error {
	return &Error{Code: CodeInvalid, Message: fmt.Sprintf(format, args...)}
}

// NotFoundf returns an [Error] with [CodeNotFound] that wraps [ErrNotFound].
func NotFoundf(format string, args ...any) error {
	return &Error{Code: CodeNotFound, Message: fmt.Sprintf(format, args...), Err: ErrNotFound}
}

// Conflictf returns an [Error] with [CodeConflict] that wraps [ErrConflict].
func Conflictf(format string, args ...any) error {
	return &Error{Code: CodeConflict, Message: fmt.Sprintf(format, args...), Err: ErrConflict}
}

// Fencedf returns an [Error] with [CodeFenced] that wraps [ErrFenced].
func Fencedf(format string, args ...any) error {
	return &Error{Code: CodeFenced, Message: fmt.Sprintf(format, args...), Err: ErrFenced}
}
