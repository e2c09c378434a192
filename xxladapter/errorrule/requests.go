package errorrule

// Requests.
var (
	// request body: unknown field {field}
	UnknownField = Rule{"unknown_field", "field"}
	// {field} is not a parameter of {method} {path}
	UnknownParameter = Rule{"unknown_parameter", "field method path"}
	// {field} is a JSON {value}, must be {allowed}
	JSONType = Rule{"json_type", "field value allowed"}
	// request {field} is a JSON {value}, must be {allowed}
	BodyJSONType = Rule{"body_json_type", "field value allowed"}
	// request body: {reason}
	Body = Rule{"body", "reason"}
	// request body has more than one JSON value
	BodySingle = Rule{"body_single", ""}
	// {field} is {value}, must be the number of a line
	EventID = Rule{"event_id", "field value"}
	// {field} is {value}, must be nextKey of the previous page, with the same sort
	Cursor = Rule{"cursor", "field value"}
	// {field} lacks appName, title or addressType, must be the whole group as it was read
	GroupAsRead = Rule{"group_as_read", "field"}
	// {field} is {value}, must be a version of the job
	Version = Rule{"version", "field value"}
	// edits[{index}].{error}
	Nested = Rule{"nested", "field index error"}
	// {field} differs from the job's, must be omitted or the same: updateJob does not change it,
	// PUT /api/v1/jobs/{job} does
	GlueKept = Rule{"glue_kept", "field job"}
	// Illegal Argument.
	Illegal = Rule{"illegal", ""}
	// request of another site: {reason}
	ForeignPage = Rule{"foreign_page", "reason"}
	// {rules}
	Several = Rule{"several", "rules"}
)
