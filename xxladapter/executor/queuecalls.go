package executor

import (
	"bytes"
	"net/http"
)

// answerCall answers a scheduler's call that came over the queue, as ServeHTTP does.
func (e *Executor) answerCall(op string, header http.Header, body []byte) []byte {
	r, err := http.NewRequest(http.MethodPost, "/"+op, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	r.Host = "localhost" // browsers do not reach the queue
	r.Header = header
	if r.Header == nil {
		r.Header = http.Header{}
	}
	var w callReply
	e.ServeHTTP(&w, r)
	return w.body.Bytes()
}

// A callReply keeps the body of a response.
type callReply struct {
	header http.Header
	body   bytes.Buffer
}

func (r *callReply) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *callReply) WriteHeader(int)             {}
func (r *callReply) Write(p []byte) (int, error) { return r.body.Write(p) }
