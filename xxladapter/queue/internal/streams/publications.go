package streams

import (
	"context"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// Limits of one pipeline with publications.
const (
	publishBatch = 256
	publishBytes = 2 << 20 // of their runs, unless one has more
)

// A publication is a run that waits until Redis has stored it.
type publication struct {
	ctx       context.Context // of the caller
	to        xxladapter.QueueAddress
	key       string
	head, run []byte

	done chan struct{} // closed when text and err are set
	text string        // the position, or -1 if the queue is full
	err  error
}

// publications sends runs to Redis. Those that come while a pipeline is on its way go into the next
// one, so that they share its system calls, and those of Redis.
type publications struct {
	c       *conn
	senders sync.WaitGroup

	mu      sync.Mutex // guards the fields below
	waiting []*publication
	sending bool
	closed  bool
}

// close refuses further publications, and returns when the earlier ones have ended.
func (q *publications) close() {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.senders.Wait()
}

// publish returns what the script returned, or an error if the context of p ends first.
func (q *publications) publish(p *publication) (string, error) {
	if err := q.add(p); err != nil {
		return "", err
	}
	select {
	case <-p.done:
		return p.text, p.err
	case <-p.ctx.Done():
		return "", p.ctx.Err()
	}
}

func (q *publications) add(p *publication) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return errClosed
	}
	q.waiting = append(q.waiting, p)
	if !q.sending {
		q.sending = true
		q.senders.Go(q.send)
	}
	return nil
}

// send sends what waits, and returns when nothing does.
func (q *publications) send() {
	for {
		batch := q.next()
		if batch == nil {
			return
		}
		q.sendPipeline(batch)
		for _, p := range batch {
			close(p.done)
		}
	}
}

// next takes the publications of the next pipeline. It returns nil if none waits.
func (q *publications) next() []*publication {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := 0
	for size := 0; n < min(len(q.waiting), publishBatch) && (n == 0 || size+len(q.waiting[n].run) <= publishBytes); n++ {
		size += len(q.waiting[n].run)
	}
	batch := q.waiting[:n:n]
	if q.waiting = q.waiting[n:]; len(q.waiting) == 0 {
		q.waiting = nil
	}
	q.sending = n > 0
	if n == 0 {
		return nil
	}
	return batch
}

// sendPipeline sends one pipeline, with one script for each address, and sets the results.
// Publications whose callers have left are not sent.
func (q *publications) sendPipeline(batch []*publication) {
	ctx, cancel := context.WithTimeout(context.Background(), broker.CallLimit)
	defer cancel()
	together := map[xxladapter.QueueAddress][]*publication{}
	for _, p := range batch {
		if p.err = p.ctx.Err(); p.err == nil {
			together[p.to] = append(together[p.to], p)
		}
	}
	replies := map[xxladapter.QueueAddress]*redis.Cmd{}
	pipe := q.c.Pipeline()
	for to, list := range together {
		keys, args := q.c.publishing(to, list)
		replies[to] = pipe.EvalSha(ctx, publishScript.Hash(), keys, args...)
	}
	_, _ = pipe.Exec(ctx) // each reply has its error
	for to, list := range together {
		positions, err := replies[to].StringSlice()
		if redis.HasErrorPrefix(err, "NOSCRIPT") { // Redis was started since; the first one loads it
			keys, args := q.c.publishing(to, list)
			positions, err = publishScript.Run(ctx, q.c, keys, args...).StringSlice()
		}
		for i, p := range list {
			if p.err = err; err == nil {
				p.text = positions[i]
			}
		}
	}
}

// publishing returns the keys and arguments of publishScript for publications to one address.
func (c *conn) publishing(to xxladapter.QueueAddress, list []*publication) (keys []string, args []any) {
	keys = append(keys, c.names.run(to), c.names.queues(), c.names.limits())
	args = append(
		args, broker.FullAt, part(to.App), broker.KeyLife.Milliseconds(), broker.IdleLife.Milliseconds(),
	)
	for _, p := range list {
		keys, args = append(keys, c.names.seen(to.App, p.key)), append(args, p.key, p.head, p.run)
	}
	return keys, args
}
