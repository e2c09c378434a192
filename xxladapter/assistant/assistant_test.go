package assistant

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

const api = `{
	"paths": {"/api/v1/things/{id}": {"put": {
		"summary": "Change a thing.",
		"parameters": [
			{"in": "path", "name": "id", "required": true, "schema": {"type": "integer"}},
			{"in": "query", "name": "loud", "description": "Whether to say so.", "schema": {"type": "boolean"}},
			{"in": "header", "name": "Idempotency-Key", "schema": {"type": "string"}}],
		"requestBody": {"content": {"application/json": {"schema": {"allOf": [
			{"$ref": "#/components/schemas/Thing"}, {"required": ["name"]}, {"properties": {"color": {"type": "string"}}}]}}}}
	}}},
	"components": {"schemas": {"Thing": {"type": "object", "required": ["parts"], "properties": {
		"id": {"type": "integer"}, "name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#/components/schemas/Thing"}}
	}}}}
}`

// TestArgumentsAreThoseOfTheCall checks that the arguments of path, query and body are in one
// object whose schema has no references.
func TestArgumentsAreThoseOfTheCall(t *testing.T) {
	var d document
	require.NoError(t, json.Unmarshal([]byte(api), &d))
	in, err := d.inputOf(d.Paths["/api/v1/things/{id}"]["put"])
	require.NoError(t, err)
	text, err := json.Marshal(in.schema)
	require.NoError(t, err)
	require.JSONEq(t, `{"type": "object", "additionalProperties": false, "required": ["id", "name", "parts"], "properties": {
		"id": {"type": "integer"}, "loud": {"type": "boolean", "description": "Whether to say so."}, "color": {"type": "string"},
		"name": {"type": "string"}, "parts": {"type": "array", "items": {}}}}`, string(text))

	change := tool{name: "change", method: "PUT", path: "/things/{id}", given: map[string][]string{"loud": {"false"}}}
	var path, body string
	refusal := errors.New("no")
	call := func(_ context.Context, method, at string, sent json.RawMessage) (json.RawMessage, error) {
		require.Equal(t, "PUT", method)
		path, body = at, string(sent)
		return nil, refusal
	}
	_, err = change.do(t.Context(), call, in, json.RawMessage(`{"id":"a/b","name":"x"}`))
	require.ErrorIs(t, err, refusal)
	require.Equal(t, "/things/a%2Fb?loud=false", path)
	require.JSONEq(t, `{"name":"x"}`, body)
	_, _ = change.do(t.Context(), call, in, json.RawMessage(`{"id":7,"loud":true}`))
	require.Equal(t, "/things/7?loud=true", path)
	require.JSONEq(t, `{}`, body)
}

// TestAMissingCallIsNamed passes New the document of a scheduler that lacks a call, and a text that
// is no document.
func TestAMissingCallIsNamed(t *testing.T) {
	_, err := New([]byte(api), nil, Options{})
	require.EqualError(t, err, "the scheduler has no call GET /overview, which the tool overview needs")
	_, err = New([]byte("<html>"), nil, Options{})
	require.ErrorContains(t, err, "read the API's description")
}
