package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// DecodeLogPart decodes the beginning of a reply to a [LogRequest] whose FromLine is from.
// Executors of XXL-JOB reply with all lines from there on, however many. DecodeLogPart fails if
// data has a code other than [CodeOK], or no logContent.
//
// The result has the whole lines that data contains, and ToLine is the number of the last one of
// them, so that the rest can be requested from the line after it. If data has no whole line, the
// result has the beginning of one, without a line end. End is false.
func DecodeLogPart(data []byte, from Int) (LogResult, error) {
	var p logPart
	err := p.reply(bytes.TrimPrefix(data, byteOrderMark))
	switch {
	case p.code != nil && *p.code != CodeOK:
		return LogResult{}, errors.New("reply is incomplete, and a failure")
	case !p.found && err != nil:
		return LogResult{}, err
	case !p.found:
		return LogResult{}, errors.New("reply has no logContent")
	}
	r := LogResult{FromLine: from, Content: p.content}
	if p.from != nil && *p.from > 0 {
		r.FromLine = *p.from // another one than requested means that the executor does not count
	}
	if whole := strings.LastIndexByte(r.Content, '\n') + 1; whole > 0 {
		r.Content = r.Content[:whole]
	}
	r.ToLine = r.FromLine + Int(max(strings.Count(r.Content, "\n"), 1)) - 1
	if p.to != nil {
		r.ToLine = min(r.ToLine, *p.to)
	}
	return r, nil
}

// A logPart is what was decoded of a reply. A nil number was not there, or was incomplete.
type logPart struct {
	code    *Int
	from    *Int
	to      *Int
	content string
	found   bool // content was there, or its beginning
}

// reply decodes a reply as far as it can.
func (p *logPart) reply(data []byte) error {
	in := json.NewDecoder(bytes.NewReader(data))
	if err := open(in); err != nil {
		return err
	}
	return members(in, func(name string) error {
		switch name {
		case "code":
			return number(in, data, &p.code)
		case "content", "data":
			if bytes.HasPrefix(value(in, data), []byte("{")) {
				return p.payload(in, data)
			}
		}
		return skip(in)
	})
}

// payload decodes the payload of a reply, which is an object.
func (p *logPart) payload(in *json.Decoder, data []byte) error {
	if err := open(in); err != nil {
		return err
	}
	err := members(in, func(name string) error {
		switch name {
		case "fromLineNum":
			return number(in, data, &p.from)
		case "toLineNum":
			return number(in, data, &p.to)
		case "logContent":
			if text, ok := beginning(value(in, data)); ok {
				p.content, p.found = text, true
			}
		}
		return skip(in)
	})
	if err != nil {
		return err
	}
	_, err = in.Token() // the end of the object
	return err
}

// open reads the beginning of an object.
func open(in *json.Decoder) error {
	token, err := in.Token()
	if err == nil && token != json.Delim('{') {
		err = errors.New("reply is not an object")
	}
	return err
}

// members calls do with the name of each member of an object; do has to read the value.
func members(in *json.Decoder, do func(name string) error) error {
	for in.More() {
		token, err := in.Token()
		if err != nil {
			return err
		}
		name, _ := token.(string)
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

// number decodes a number, unless data ends with it: then digits may be missing.
func number(in *json.Decoder, data []byte, to **Int) error {
	var n *Int
	if err := in.Decode(&n); err != nil {
		return err
	}
	if int(in.InputOffset()) < len(data) {
		*to = n
	}
	return nil
}

func skip(in *json.Decoder) error {
	var any json.RawMessage
	return in.Decode(&any)
}

// value returns the rest of data, beginning with the value of the member whose name was read last.
func value(in *json.Decoder, data []byte) []byte {
	return bytes.TrimLeft(data[in.InputOffset():], " \t\r\n:")
}

// beginning decodes a JSON string that may be incomplete, as far as it has whole characters. It
// returns false for anything else.
func beginning(data []byte) (text string, ok bool) {
	if len(data) == 0 || data[0] != '"' {
		return "", false
	}
	end, last := 1, 1 // last is where the last character or escape begins
	for end < len(data) && data[end] != '"' {
		size := 1
		if data[end] == '\\' {
			size = 2
			if end+1 < len(data) && data[end+1] == 'u' {
				size = 6
			}
		}
		if end+size > len(data) {
			break
		}
		last, end = end, end+size
	}
	if end == len(data) || data[end] != '"' {
		if isHighSurrogate(data[last:end]) {
			end = last
		}
		end = len(WholeCharacters(data[:end]))
	}
	err := json.Unmarshal(append(data[:end:end], '"'), &text)
	return text, err == nil
}

// isHighSurrogate reports whether text is the escape of the first half of a character.
func isHighSurrogate(text []byte) bool {
	digits, ok := bytes.CutPrefix(text, []byte(`\u`))
	code, err := strconv.ParseUint(string(digits), 16, 16)
	return ok && err == nil && code>>10 == 0xd800>>10
}

// WholeCharacters returns truncated text without the bytes of an incomplete character at its end.
func WholeCharacters(text []byte) []byte {
	for at := len(text) - 1; at >= max(0, len(text)-utf8.UTFMax); at-- {
		if utf8.RuneStart(text[at]) {
			if !utf8.FullRune(text[at:]) {
				return text[:at]
			}
			break
		}
	}
	return text
}
