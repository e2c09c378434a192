package admin

import "net/http"

// The media types of answers that are not one JSON value.
const (
	typeJSONLines = "application/x-ndjson"
	typeCSV       = "text/csv"
	typeYAML      = "application/yaml"
)

// A download writes an answer that is not JSON.
type download func(http.ResponseWriter)
