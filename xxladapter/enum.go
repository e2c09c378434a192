package xxladapter

import (
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An enum is a string type with a fixed list of values, spelt as they are stored and sent. Values
// returns that list, in a new slice, for code that validates, documents or offers values.
type enum[T any] interface {
	~string
	Values() []T
}

// CheckOneOf refuses a value that its type does not list, with an [Error] that names the field and
// all values of the type. The empty string is refused too, unless the type lists it.
func CheckOneOf[T enum[T]](field string, value T) error {
	known := value.Values()
	if slices.ContainsFunc(known, func(k T) bool { return k == value }) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return Invalidf(errorrule.OneOf, "%s is %q, must be one of %s", field, value, strings.Join(names, ", "))
}

// checkOneOfOrEmpty works like CheckOneOf for a field that may be empty.
func checkOneOfOrEmpty[T enum[T]](field string, value T) error {
	if value == "" {
		return nil
	}
	return CheckOneOf(field, value)
}
