package streams

import (
	"bytes"
	"encoding/json"
	"net/http"
)

// A message is a call. It is sent as one line of JSON, followed by the body.
type message struct {
	ID     string      `json:"id"`    // of the call, which nobody can guess
	Reply  string      `json:"reply"` // the last part of the channel that the caller listens to
	Op     string      `json:"op"`
	Header http.Header `json:"header,omitempty"`
	body   []byte
}

func (m *message) encode() ([]byte, error) {
	head, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return append(append(head, '\n'), m.body...), nil
}

func (m *message) decode(text string) error {
	head, body, _ := bytes.Cut([]byte(text), []byte{'\n'})
	m.body = body
	return json.Unmarshal(head, m)
}
