package api

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errortext"
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

// An Error is the body of every failed API call, also of one that has panicked.
type Error struct {
	Code xxladapter.Code `json:"code" doc:"What went wrong, for programs: invalid, not_found, conflict, unauthorized, forbidden, too_many, fenced, unreachable or internal."`
	BrokenRule
	// Rules are the rules that are broken, if there are several.
	Rules []BrokenRule `json:"rules,omitempty" doc:"For a value that breaks several rules: each of them, with its field. The message has all of theirs."`
	// Conflicts are the fields that a conflict is about, if it was an edit.
	Conflicts []xxladapter.FieldConflict `json:"conflicts,omitempty" doc:"For an edit of what was changed meanwhile: the fields that differ."`
	// Problems are all that is wrong with declarations.
	Problems []declare.Problem `json:"problems,omitempty" doc:"For declarations that cannot be applied: all that is wrong with them."`
}

// A BrokenRule says for people and for programs which rule is broken, and by what.
type BrokenRule struct {
	Message string            `json:"message" doc:"What went wrong, for people: field, value and rule on one line."`
	Rule    string            `json:"rule,omitempty" doc:"The rule that is broken, for programs: a code such as range or not_found that stays the same when the message is reworded."`
	Params  map[string]string `json:"params,omitempty" doc:"What the rule is about, by name: mostly field and value, and the limits that the rule has."`
	Chinese string            `json:"messageZh,omitempty" doc:"The message in Chinese."`
}

// A Detailed error says more in the body of the answer than its code and its message.
type Detailed interface {
	error
	Detail(body *Error)
}

// RefusalOf returns what a caller may know of an error, and the status of the answer. known is
// false for an error that is for the log.
func RefusalOf(err error) (status int, answer Error, known bool) {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		message := fmt.Sprintf("request body is over %d bytes", tooLarge.Limit)
		return http.StatusRequestEntityTooLarge, newError(xxladapter.CodeInvalid, message), true
	}
	var method *methodError
	if errors.As(err, &method) {
		return http.StatusMethodNotAllowed, newError(xxladapter.CodeInvalid, OneLine(method.Error())), true
	}
	var forUser *xxladapter.Error
	if errors.As(err, &forUser) {
		answer := ErrorOf(forUser)
		var more Detailed
		if errors.As(err, &more) {
			more.Detail(&answer)
		}
		return statusOf(forUser.Code), answer, true
	}
	if errors.Is(err, xxladapter.ErrNotFound) {
		return http.StatusNotFound, newError(xxladapter.CodeNotFound, "not found"), true
	}
	return http.StatusInternalServerError, newError("internal", "internal error"), false
}

// newError returns an error about no rule.
func newError(code xxladapter.Code, message string) Error {
	return Error{Code: code, BrokenRule: BrokenRule{Message: message}}
}

// ErrorOf returns an error for the user with the rule that it is about, or with all of them.
func ErrorOf(err *xxladapter.Error) Error {
	answer := Error{Code: err.Code, BrokenRule: brokenRule(err)}
	var broken xxladapter.BrokenRules
	if errors.As(err, &broken) {
		for _, each := range broken {
			var one *xxladapter.Error
			if errors.As(each, &one) {
				answer.Rules = append(answer.Rules, brokenRule(one))
			}
		}
	}
	return answer
}

func brokenRule(err *xxladapter.Error) BrokenRule {
	params := err.Params()
	for name, value := range params {
		params[name] = OneLine(value)
	}
	return BrokenRule{OneLine(err.Message), err.Rule.Code, params, OneLine(errortext.Chinese(err))}
}

// OneLine returns text that a caller may have influenced, without line breaks and other control
// characters.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}
