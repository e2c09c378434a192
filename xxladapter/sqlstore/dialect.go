package sqlstore

import "time"

// A dialect is what the databases do not agree about: some statements, and the
// form of a datetime. All other statements are written once, beside the act
// that they serve.
type dialect struct {
	// planFire inserts a planned fire, or nothing if its job has an open fire
	// with this due time. Arguments: the columns of fireValues, then job id
	// and due time again.
	planFire string
	// beat inserts or refreshes the registration (group, key, value, time).
	beat string
	// beatNode inserts or refreshes (node, beat).
	beatNode string
	// knowNode inserts (node, beat) unless the node is known.
	knowNode string
	// nameHas is the condition that a job's name contains the argument.
	nameHas string
	// datetime is the argument for a datetime column: whole seconds, cut and
	// not rounded, NULL for the zero time.
	datetime func(time.Time) any
}
