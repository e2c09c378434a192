package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// A Reply is what both sides answer, with HTTP status 200 also for a failure. The exception is a
// body above [MaxBody], to which this project answers 413. Any code but 200 is a failure. Msg is
// for people.
//
// It is encoded with its payload under both names, content and data, so that a peer of any
// generation finds it.
type Reply struct {
	Code    int
	Msg     string
	Payload json.RawMessage // nil means none
}

type reply struct {
	Code    *Int            `json:"code"`
	Msg     json.RawMessage `json:"msg"`
	Content json.RawMessage `json:"content"`
	Data    json.RawMessage `json:"data"`
}

// OK returns the reply for success.
func OK() Reply { return Reply{Code: CodeOK, Msg: "Success"} }

// Fail returns the reply for a failure, with a text for people.
func Fail(msg string) Reply { return Reply{Code: CodeFail, Msg: msg} }

// WithPayload returns the reply with v as its payload.
//
// REQUIRES: v can be encoded as JSON.
func (r Reply) WithPayload(v any) Reply {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("wire: encode reply payload: %v", err))
	}
	r.Payload = data
	return r
}

// MarshalJSON omits empty fields, as executors do.
func (r Reply) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Code    int             `json:"code"`
		Msg     string          `json:"msg,omitempty"`
		Content json.RawMessage `json:"content,omitempty"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{r.Code, r.Msg, r.Payload, r.Payload})
}

// MarshalAdmin writes null for empty fields, as admins do.
func (r Reply) MarshalAdmin() ([]byte, error) {
	var msg *string
	if r.Msg != "" {
		msg = &r.Msg
	}
	return json.Marshal(struct {
		Code    int             `json:"code"`
		Msg     *string         `json:"msg"`
		Content json.RawMessage `json:"content"`
		Data    json.RawMessage `json:"data"`
		Success bool            `json:"success"`
	}{Code: r.Code, Msg: msg, Content: r.Payload, Data: r.Payload, Success: r.Code == CodeOK})
}

// ErrNoCode is returned by [DecodeReply] for a reply without a code. The reply counts as a failure;
// its text still says what the peer meant.
var ErrNoCode = errors.New("wire: reply has no code")

// DecodeReply decodes a peer's reply. The common Go executor refuses a run with a list of callbacks
// in place of an object; DecodeReply then returns the code and text of the first. Along with
// [ErrNoCode] it returns a reply with code 500 and the text that was there.
func DecodeReply(data []byte) (Reply, error) {
	data = trim(data)
	if bytes.HasPrefix(data, []byte("[")) {
		var list Callbacks
		if err := Decode(data, &list); err != nil {
			return Reply{}, err
		}
		if len(list) == 0 || list[0].HandleCode == 0 {
			return Fail(shorten(data)), ErrNoCode
		}
		return Reply{Code: int(list[0].HandleCode), Msg: list[0].HandleMsg}, nil
	}
	var raw reply
	if err := Decode(data, &raw); err != nil {
		return Reply{}, err
	}
	r := Reply{Msg: plainText(raw.Msg), Payload: raw.Data}
	if isNull(r.Payload) {
		r.Payload = raw.Content
	}
	if isNull(r.Payload) {
		r.Payload = nil
	}
	if raw.Code == nil {
		r.Code = CodeFail
		return r, ErrNoCode
	}
	r.Code = int(*raw.Code)
	return r, nil
}

func isNull(raw json.RawMessage) bool { return raw == nil || string(raw) == "null" }

func shorten(data []byte) string {
	const most = 200
	if len(data) > most {
		return string(data[:most]) + "..."
	}
	return string(data)
}
