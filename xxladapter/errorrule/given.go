package errorrule

// What is given, and together with what.
var (
	// {field} is missing, must be given
	Missing = Rule{"missing", "field"}
	// {field} is given, must be omitted: it is read-only
	ReadOnly = Rule{"read_only", "field"}
	// {field} is {value}, must be omitted for a new job
	Omitted = Rule{"omitted", "field value"}
	// {field} is {value}, must be {path} as in the path
	AsInPath = Rule{"as_in_path", "field value path"}
	// {field} is {value}, must be {stored}: it cannot be changed
	Unchangeable = Rule{"unchangeable", "field value stored"}
	// {field} is given twice, must be given once
	Once = Rule{"once", "field count"}
	// exactly one of {fields} must be given
	ExactlyOne = Rule{"exactly_one", "fields count"}
	// only one of {fields} is given, must be both or neither
	BothOrNeither = Rule{"both_or_neither", "fields"}
	// {field} is {value}, must be together with {other}
	Together = Rule{"together", "field other value"}
	// {field} is empty, all must be true to select every job
	AllNeeded = Rule{"all_needed", "field"}
	// {field} is true, must not be together with {other}
	AllAlone = Rule{"all_alone", "field other"}
)
