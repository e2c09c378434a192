package node

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Broker carries runs to executors and calls in both directions; queue.Conn is one. Its methods
// may be called from any goroutine.
type Broker interface {
	trigger.Broker
	admin.Broker
	// Never returns the error that Publish wraps for a run that can never be stored.
	Never() error
	// States returns what lies in the queues, by app. Apps without a run are left out.
	States(ctx context.Context) (map[string]xxladapter.QueueState, error)
	// Connected returns since when the connection to the broker exists, zero while there is none.
	Connected() time.Time
	// ServeReports answers calls to the schedulers until stop is called. All schedulers share the
	// calls: one of them answers each call.
	ServeReports(answer delivery.ReportAnswer) (stop func(), err error)
}

// connected returns the function that says since when this node is connected to the broker; nil
// without a broker.
func (n *Node) connected() func() time.Time {
	if n.opts.Queue == nil {
		return nil
	}
	return n.opts.Queue.Connected
}

// serveQueue answers what executors report over the queue, until stop is called. Each report
// becomes a request to the server of this node, so that tokens and operations have the rules of
// HTTP. The answers in flight end with ctx, and stop waits for them.
func (n *Node) serveQueue(ctx context.Context) (stop func(), err error) {
	if n.opts.Queue == nil {
		return func() {}, nil
	}
	stop, err = n.opts.Queue.ServeReports(func(op, app string, header http.Header, body []byte) []byte {
		return n.answerReport(ctx, op, app, header, body)
	})
	if err != nil {
		return nil, fmt.Errorf("serve the queue: %w", err)
	}
	return stop, nil
}

// answerReport answers one report by an executor of an app. It recovers and logs a panic, as the
// server does in a request; such a report gets an empty answer.
func (n *Node) answerReport(ctx context.Context, op, app string, header http.Header, body []byte) []byte {
	defer func() {
		if p := recover(); p != nil {
			n.opts.Logger.Error(
				"report over the queue panicked", "operation", op, "app", app, "panic", p,
				"stack", string(debug.Stack()),
			)
		}
	}()
	if !isOperation(op) || app == "" { // both come from the caller, and may be anything
		return nil
	}
	ctx = access.WithQueuedApp(ctx, app)
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, wire.AdminPath+op, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	r.Host = "localhost" // browsers do not reach the queue
	r.RemoteAddr = "127.0.0.1:0"
	for _, name := range []string{wire.HeaderToken, wire.HeaderAppName, "Content-Type"} {
		if value := http.Header(header).Get(name); value != "" {
			r.Header.Set(name, value)
		}
	}
	var w reply
	n.http.Handler.ServeHTTP(&w, r)
	return w.body.Bytes()
}

// A reply keeps the body of a response.
type reply struct {
	header http.Header
	body   bytes.Buffer
}

func (r *reply) Header() http.Header {
	if r.header == nil {
		r.header = http.Header{}
	}
	return r.header
}

func (r *reply) WriteHeader(int) {}

func (r *reply) Write(p []byte) (int, error) { return r.body.Write(p) }

// isOperation reports whether op has letters only, as all operations do, so that it names no other
// path of the server.
func isOperation(op string) bool {
	for _, r := range op {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return false
		}
	}
	return op != ""
}
