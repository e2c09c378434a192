package access

import (
	"net/http"
	"time"
)

// writePart is how many bytes of a write the caller has to take within the limit.
const writePart = 64 << 10

// LimitWrites returns a handler that breaks an answer of next off if the caller does not take it:
// if a flush, or 64 KiB of a write, lasts longer than limit. Neither the answer nor the pauses
// between its writes are limited.
//
// The limit should not be shorter than [http.Server.ReadTimeout]. Before an HTTP server begins an
// answer it waits for the rest of the request's body, and the time for the write passes meanwhile.
//
// REQUIRES: next hijacks no connection.
func LimitWrites(next http.Handler, limit time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := &limitedAnswer{ResponseWriter: w, control: http.NewResponseController(w), limit: limit}
		next.ServeHTTP(answer, r)
		answer.begin() // the server sends what it has buffered, and then clears the deadline
	})
}

// A limitedAnswer limits each write of an answer.
type limitedAnswer struct {
	http.ResponseWriter
	control *http.ResponseController
	limit   time.Duration
}

// Write implements [http.ResponseWriter].
func (a *limitedAnswer) Write(p []byte) (n int, err error) {
	defer a.end()
	for {
		a.begin()
		written, err := a.ResponseWriter.Write(p[n:min(n+writePart, len(p))])
		n += written
		if err != nil || n == len(p) {
			return n, err
		}
	}
}

// FlushError sends what is in buffers, for [http.ResponseController.Flush].
func (a *limitedAnswer) FlushError() error {
	a.begin()
	defer a.end()
	return a.control.Flush()
}

// Unwrap lets an [http.ResponseController] reach the writer of the server.
func (a *limitedAnswer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// begin sets the deadline of a write. Writers that are no connections have none.
func (a *limitedAnswer) begin() { _ = a.control.SetWriteDeadline(time.Now().Add(a.limit)) }

// end clears the deadline: HTTP/2 ends a stream at its deadline even if nothing is being written.
func (a *limitedAnswer) end() { _ = a.control.SetWriteDeadline(time.Time{}) }
