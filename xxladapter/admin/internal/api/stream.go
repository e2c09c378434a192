package api

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"time"
)

// EventStream is the media type of streams of server-sent events.
const EventStream = "text/event-stream"

const (
	// Heartbeat is the pause between comments in a stream without events. Proxies close
	// connections that are silent for a minute.
	Heartbeat = 15 * time.Second
	// StreamLife is the age at which a stream of events or of a run's text ends. The caller
	// connects again, and its rights are checked again.
	StreamLife = 15 * time.Minute
)

// A Stream is an answer that is written while it is made. Write runs until it is done, the
// call's context ends, or a write fails. It does not run if the caller has left before.
type Stream struct {
	Kind    string
	Release func() // gives back what the stream holds; nil if it holds nothing
	Write   func(w *StreamWriter) error
}

// Streaming describes a call whose handler returns a [Stream] of values of type T.
func Streaming[T any](kind string, c Call) Call {
	c.Answer, c.Stream = reflect.TypeFor[T](), kind
	return c
}

// Serve answers with the stream. The server limits each write, see [access.LimitWrites].
func (s Stream) Serve(w http.ResponseWriter) {
	if s.Release != nil {
		defer s.Release()
	}
	control := http.NewResponseController(w)
	h := w.Header()
	h.Set("Content-Type", s.Kind+"; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // nginx would hold the answer back
	w.WriteHeader(http.StatusOK)
	out := &StreamWriter{w, control}
	if control.Flush() == nil {
		_ = s.Write(out) // the caller is gone, or sees the end
	}
}

// A StreamWriter writes the parts of a stream; each is sent at once.
type StreamWriter struct {
	w       io.Writer
	control *http.ResponseController
}

// Line writes a value as one line of JSON.
func (s *StreamWriter) Line(value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.send(append(data, '\n'))
}

// Event writes a server-sent event. Name and id may be empty, and must not contain line ends.
func (s *StreamWriter) Event(name, id string, value any) error {
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

// Beat writes a comment, by which both sides and all proxies notice that the connection lives.
func (s *StreamWriter) Beat() error { return s.send([]byte(": beat\n\n")) }

func (s *StreamWriter) send(text []byte) error {
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}
