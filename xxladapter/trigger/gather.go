package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// This file gathers the runs for one executor into batches ([wire.PathRuns]), if the executor takes
// batches. While no request to the executor is in flight, a run is sent alone and at once, so that
// nothing waits under little load. Runs that arrive while a request is in flight share the next
// one.
//
// A batch makes the same promises for each run as a single request: the run was claimed before, the
// guard of its lease is asked before each write, and the run has a reply of its own, without which
// its outcome is unknown. A batch that is refused as a whole has started nothing, and its runs are
// then sent one by one.

const (
	// gatherLimit limits the time that a run waits for the request in flight, because a silent
	// executor must not delay the runs that follow. After that time they are sent in another
	// request beside it.
	gatherLimit = 50 * time.Millisecond
	// maxBatchBytes limits the size of a batch, because each run carries the source of its script.
	// A larger run is sent alone.
	maxBatchBytes = 1 << 20
)

// batches holds the executors that take batches. The zero value holds none.
type batches struct {
	sending sync.WaitGroup // batches in flight

	mu sync.RWMutex // guards the field below
	by map[executorKey]*gatherer
}

// An executorKey is an executor as its calls name it.
type executorKey struct{ addr, appName string }

// of returns the gatherer of an executor, or nil if the executor takes no batches.
func (b *batches) of(addr, appName string) *gatherer {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.by[executorKey{addr, appName}]
}

// note reads from the header of a reply whether the executor takes batches. It also reads later
// replies, because another program may answer at the address after a restart.
func (b *batches) note(c *Client, addr, appName string, header http.Header) {
	most := wire.BatchSize(header.Get(wire.HeaderBatch))
	known := b.of(addr, appName)
	switch {
	case known == nil && most == 0:
		return
	case known != nil && most > 0:
		known.limit(most)
		return
	}
	key := executorKey{addr, appName}
	b.mu.Lock()
	defer b.mu.Unlock()
	if most == 0 {
		delete(b.by, key)
		return
	}
	if b.by == nil {
		b.by = make(map[executorKey]*gatherer)
	}
	if b.by[key] == nil {
		b.by[key] = &gatherer{client: c, key: key, most: most}
	}
}

// A gatherer sends the runs of one executor.
type gatherer struct {
	client *Client
	key    executorKey

	mu      sync.Mutex // guards the fields below, batch of each run and waiters of each batch
	most    int        // the limit of runs in a batch
	waiting []*gathered
	latest  *int        // the request begun last, identified by its address; nil unless it is in flight
	timer   *time.Timer // ends the wait of the first run in waiting; nil while none waits
}

// gathered is a run on its way.
type gathered struct {
	ctx   context.Context
	req   *wire.RunRequest
	body  []byte
	batch *batch // the batch that contains the run; nil while the run waits

	done      chan struct{} // closed when the fields below are set
	sendAlone bool          // the run was not sent, and its caller has to send it alone
	request   *int          // the request that the caller then makes; nil if no run waits for its end
	reply     wire.Reply
	err       error
}

// A batch is one request in flight.
type batch struct {
	runs    []*gathered
	cancel  context.CancelFunc
	waiters int // callers that wait for it; guarded by the gatherer's mutex
}

func (g *gatherer) limit(most int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.most = most
}

// run sends a run. It does so at once if no request is in flight.
func (g *gatherer) run(ctx context.Context, req *wire.RunRequest) (wire.Reply, error) {
	g.mu.Lock()
	if g.latest == nil {
		request := g.begin()
		g.mu.Unlock()
		defer g.end(request)
		return g.client.runAlone(ctx, g.key.addr, g.key.appName, req)
	}
	g.mu.Unlock()
	body, err := json.Marshal(req)
	if err != nil || len(body) > maxBatchBytes {
		return g.client.runAlone(ctx, g.key.addr, g.key.appName, req)
	}
	r := &gathered{ctx: ctx, req: req, body: body, done: make(chan struct{})}
	g.join(r)
	select {
	case <-r.done:
	case <-ctx.Done():
		if err := g.leave(r); err != nil {
			return wire.Reply{}, err
		}
	}
	if r.request != nil {
		defer g.end(r.request)
	}
	if r.sendAlone {
		return g.client.runAlone(ctx, g.key.addr, g.key.appName, req)
	}
	return r.reply, r.err
}

// begin records a new request.
//
// REQUIRES: g.mu is held.
func (g *gatherer) begin() *int {
	g.latest = new(int)
	return g.latest
}

// end records the end of a request, and starts the next one.
func (g *gatherer) end(request *int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.latest == request { // another one may have been begun beside it
		g.latest = nil
		g.next()
	}
}

// join puts a run into the next batch.
func (g *gatherer) join(r *gathered) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.waiting = append(g.waiting, r)
	if g.latest == nil { // the request has ended meanwhile
		g.next()
		return
	}
	g.limitWait()
}

// limitWait starts the timer if runs wait and it is not running, and stops it if none waits.
//
// REQUIRES: g.mu is held.
func (g *gatherer) limitWait() {
	switch {
	case len(g.waiting) > 0 && g.timer == nil:
		g.timer = time.AfterFunc(gatherLimit, func() {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.next()
		})
	case len(g.waiting) == 0 && g.timer != nil:
		g.timer.Stop()
		g.timer = nil
	}
}

// next sends the waiting runs, up to the limits of a batch.
//
// REQUIRES: g.mu is held.
func (g *gatherer) next() {
	if g.timer != nil {
		g.timer.Stop()
		g.timer = nil
	}
	size, n := 2, 0 // the brackets of the list
	// 3 is for the brackets and a comma: a run of maxBatchBytes still fits alone.
	for n < len(g.waiting) && n < g.most && size+len(g.waiting[n].body)+1 <= maxBatchBytes+3 {
		size += len(g.waiting[n].body) + 1
		n++
	}
	if n == 0 {
		return
	}
	runs := g.waiting[:n:n]
	g.waiting = g.waiting[n:]
	if len(g.waiting) == 0 {
		g.waiting = nil
	}
	g.limitWait() // for the runs that the batch has no room for
	request := g.begin()
	if n == 1 { // its caller sends it
		runs[0].sendAlone, runs[0].request = true, request
		close(runs[0].done)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	b := &batch{runs: runs, cancel: cancel, waiters: n}
	for _, r := range runs {
		r.batch = b
	}
	g.client.batches.sending.Go(func() {
		defer cancel()
		defer g.end(request)
		g.send(ctx, b, size)
	})
}

// leave takes a run whose context has ended out of the queue, or out of its batch. A batch that
// nobody waits for is cancelled. It returns nil if the run has ended meanwhile.
func (g *gatherer) leave(r *gathered) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-r.done:
		return nil
	default:
	}
	if r.batch != nil {
		if r.batch.waiters--; r.batch.waiters == 0 {
			r.batch.cancel()
		}
		return outcome(true, r.ctx.Err())
	}
	for i, other := range g.waiting {
		if other == r {
			g.waiting = append(g.waiting[:i:i], g.waiting[i+1:]...)
			break
		}
	}
	g.limitWait()
	return r.ctx.Err()
}

// send sends a batch and gives each of its runs its outcome.
func (g *gatherer) send(ctx context.Context, b *batch, size int) {
	defer func() {
		for _, r := range b.runs {
			close(r.done)
		}
	}()
	var sure []*gathered
	body := make([]byte, 0, size)
	for _, r := range b.runs {
		if may := guardOf(r.ctx); may != nil && !may() {
			r.err = errWithheld
			continue
		}
		sure = append(sure, r)
		body = append(body, ',')
		body = append(body, r.body...)
	}
	if len(sure) == 0 {
		return
	}
	body[0] = '['
	body = append(body, ']')
	ctx = sendOnlyIf(ctx, func() bool {
		for _, r := range sure {
			if may := guardOf(r.ctx); may != nil && !may() {
				return false
			}
		}
		return true
	})
	replies, err := g.client.runBatch(ctx, g.key, body)
	settleBatch(sure, replies, err)
}

// settleBatch gives each run its outcome, which follows from the reply to its batch.
func settleBatch(runs []*gathered, replies map[wire.Int]wire.Reply, err error) {
	for _, r := range runs {
		reply, ok := replies[r.req.LogID]
		switch {
		case errors.Is(err, errNotBatched):
			r.sendAlone = true
		case err != nil:
			r.err = err
		case ok:
			r.reply = reply
		default:
			r.err = outcome(true, errors.New("the reply to the batch does not mention the run"))
		}
	}
}

// errNotBatched means that an executor refused a batch as a whole and started none of its runs.
var errNotBatched = errors.New("trigger: the executor refused the batch")

// runBatch posts a batch and returns the replies by log id. The error is errNotBatched, or what a
// single run would get in the same case.
func (c *Client) runBatch(ctx context.Context, to executorKey, body []byte) (map[wire.Int]wire.Reply, error) {
	appName, token := c.sent(ctx, to.addr, to.appName)
	deadline := time.Now().Add(c.timeout)
	answer, err := c.post(ctx, deadline, to.addr, appName, token, wire.PathRuns, body)
	var status *statusError
	if errors.As(err, &status) && !errors.Is(err, ErrOutcomeUnknown) {
		c.batches.note(c, to.addr, to.appName, nil)
		return nil, errNotBatched
	}
	if err != nil {
		return nil, err
	}
	c.batches.note(c, to.addr, to.appName, answer.Header)
	all, err := wire.DecodeRunReplies(answer.Body)
	if err != nil {
		return nil, unreadable(
			to.addr, wire.PathRuns, []byte(access.Conceal(string(answer.Body), token)),
			errors.New("is no reply to a batch"),
		)
	}
	if all.Code != wire.CodeOK {
		if strings.HasPrefix(all.Msg, wire.PrefixNotFound) {
			c.batches.note(c, to.addr, to.appName, nil)
		}
		return nil, errNotBatched
	}
	replies := make(map[wire.Int]wire.Reply, len(all.Runs))
	for _, r := range all.Runs {
		replies[r.LogID] = wire.Reply{Code: r.Code, Msg: access.Conceal(r.Msg, token)}
	}
	return replies, nil
}
