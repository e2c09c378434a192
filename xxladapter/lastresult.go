package xxladapter

import "slices"

// A LastResult selects jobs by the status of their newest run that has ended.
type LastResult string

const (
	LastSuccess LastResult = "SUCCESS"
	LastFail    LastResult = "FAIL"
	LastNone    LastResult = "NONE" // no run has ended
)

// Values lists all of them.
func (LastResult) Values() []LastResult { return []LastResult{LastSuccess, LastFail, LastNone} }

// Validate refuses a value that does not exist; the empty one means any.
func (r LastResult) Validate() error { return checkOneOfOrEmpty("lastResult", r) }

// Ranked lists the results in the order of [SortByResult].
func (LastResult) Ranked() []LastResult { return []LastResult{LastFail, LastSuccess, LastNone} }

// rank returns the place of a result in that order. The empty one is [LastNone].
func (r LastResult) rank() int {
	if r == "" {
		r = LastNone
	}
	return slices.Index(r.Ranked(), r)
}
