package api

import (
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/rule"
)

// CheckOneOf refuses a value that its type does not list, naming all that it lists.
func CheckOneOf[T interface {
	~string
	Values() []T
}](field string, value T) error {
	known := value.Values()
	if slices.Contains(known, value) {
		return nil
	}
	names := make([]string, len(known))
	for i, k := range known {
		names[i] = string(k)
	}
	return xxladapter.Invalidf(rule.OneOf, "%s is %q, must be one of %s", field, value, strings.Join(names, ", "))
}
