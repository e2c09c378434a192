package admin

import (
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// A panicError is a panic of the code that answers a request.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }

// recovered returns the error of f, or a panicError if f panics. [http.ErrAbortHandler] is not
// recovered: it asks the HTTP server to close the connection.
func recovered(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			err = &panicError{p, debug.Stack()}
		}
	}()
	return f()
}

// log logs the panic with the request that led to it.
func (p *panicError) log(logger *slog.Logger, r *http.Request) {
	logger.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p.value, "stack", string(p.stack))
}
