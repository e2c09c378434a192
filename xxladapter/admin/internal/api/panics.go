package api

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
)

// A PanicError is a panic of the code that answers a request.
type PanicError struct {
	value any
	stack []byte
}

// Error returns the value of the panic as a text.
func (p *PanicError) Error() string { return fmt.Sprintf("panic: %v", p.value) }

// Recovered returns the error of f, or a PanicError if f panics. [http.ErrAbortHandler] is not
// recovered: it asks the HTTP server to close the connection.
func Recovered(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case http.ErrAbortHandler:
			panic(p)
		default:
			err = &PanicError{p, debug.Stack()}
		}
	}()
	return f()
}

// Log logs the panic with the request that led to it.
func (p *PanicError) Log(logger *slog.Logger, r *http.Request) {
	logger.Error("handler panicked", "method", r.Method, "path", r.URL.Path, "panic", p.value, "stack", string(p.stack))
}

// LogError logs an error of a goroutine that has no request of its own, with the stack if it is a
// panic. args are further keys and values.
func LogError(logger *slog.Logger, message string, err error, args ...any) {
	args = append(args, "err", err)
	var p *PanicError
	if errors.As(err, &p) {
		args = append(args, "stack", string(p.stack))
	}
	logger.Error(message, args...)
}
