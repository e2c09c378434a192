package admin

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"time"
)

// eventStream is the media type of streams of server-sent events.
const eventStream = "text/event-stream"

const (
	// streamWrite limits one write to a caller that does not read.
	streamWrite = 10 * time.Second
	// heartbeat is the pause between comments in a stream without events. Proxies close
	// connections that are silent for a minute.
	heartbeat = 15 * time.Second
	// streamLife is the age at which a stream of events or of a run's text ends. The caller
	// connects again, and its rights are checked again.
	streamLife = 15 * time.Minute
)

// A stream is an answer that is written while it is made. write runs until it is done, the
// call's context ends, or a write fails. It does not run if the caller has left before.
type stream struct {
	kind    string
	release func() // gives back what the stream holds; nil if it holds nothing
	write   func(w *streamWriter) error
}

// streaming describes a call whose handler returns a [stream] of values of type T.
func streaming[T any](kind string, c call) call {
	c.answer, c.stream = reflect.TypeFor[T](), kind
	return c
}

// serve answers with the stream. The connection's limits are for short calls, and a stream may last
// for minutes.
func (s stream) serve(w http.ResponseWriter) {
	if s.release != nil {
		defer s.release()
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // not all writers have one
	h := w.Header()
	h.Set("Content-Type", s.kind+"; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold the answer back
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{w, control}
	if control.Flush() == nil {
		_ = s.write(out) // the caller is gone, or sees the end
	}
}

// A streamWriter writes the parts of a stream; each is sent at once.
type streamWriter struct {
	w       io.Writer
	control *http.ResponseController
}

// line writes a value as one line of JSON.
func (s *streamWriter) line(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.send(append(data, '\n'))
}

// event writes a server-sent event. Name and id may be empty, and contain no line ends.
func (s *streamWriter) event(name, id string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var text []byte
	if name != "" {
		text = append(text, "event: "+name+"\n"...)
	}
	if id != "" {
		text = append(text, "id: "+id+"\n"...)
	}
	text = append(text, "data: "...)
	text = append(text, data...)
	return s.send(append(text, "\n\n"...))
}

// beat writes a comment, by which both sides and all proxies notice that the connection lives.
func (s *streamWriter) beat() error { return s.send([]byte(": beat\n\n")) }

func (s *streamWriter) send(text []byte) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(streamWrite))
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}
