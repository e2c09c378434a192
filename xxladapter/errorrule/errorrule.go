// Package errorrule names the rules that an error for a user can be about, each with its
// parameters.
//
// [xxladapter.Error] carries a rule and the values of its parameters from where a request, a
// declaration or a setting is refused, so that everybody after that can tell which field it is
// about: the API, whose clients get both, the console, the commands with their flags, and package
// errortext, which has the text of each rule in Chinese.
//
// The files group the rules. The comment of a rule is one of its errors in English, with the
// parameters in braces; the wording is that of the refusal, and may differ from one to the next.
//
// [xxladapter.Error]: https://pkg.go.dev/github.com/xxlwheel/xxlwheel/xxladapter#Error
package errorrule

import (
	"fmt"
	"strings"
)

// A Rule is what an error for a user is about.
type Rule struct {
	// Code names the rule for programs. It stays the same when messages are reworded. Rules that
	// differ only in their parameters share a code.
	Code   string
	params string // the names of the parameters, separated by blanks
}

// Field is the parameter that is the name of a field, a parameter of the API, a flag or a file's
// key. It is the first one of a rule that has it. A rule about several fields together has their
// names in the parameter fields.
const Field = "field"

// Params returns the names of the parameters, in the order in which an error gives their values.
func (r Rule) Params() []string { return strings.Fields(r.params) }

// And is the value of a parameter that has several names, all of which the error is about.
type And []string

// String returns the names as English prose has them.
func (a And) String() string { return prose(a, "and") }

// Or is the value of a parameter that has several names, one of which the error is about.
type Or []string

// String returns the names as English prose has them.
func (o Or) String() string { return prose(o, "or") }

func prose(names []string, word string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " " + word + " " + names[last]
}

// Text returns the value of a parameter for programs: several names are separated by commas.
func Text(value any) string {
	switch v := value.(type) {
	case And:
		return strings.Join(v, ", ")
	case Or:
		return strings.Join(v, ", ")
	}
	return fmt.Sprint(value)
}
