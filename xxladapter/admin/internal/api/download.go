package api

import "net/http"

// The media types of answers that are not one JSON value.
const (
	JSONLines = "application/x-ndjson"
	CSV       = "text/csv"
	YAML      = "application/yaml"
)

// A Download writes an answer that is not JSON.
type Download func(http.ResponseWriter)
