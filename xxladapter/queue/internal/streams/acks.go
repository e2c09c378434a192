package streams

import (
	"context"
	"errors"
	"sync"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// A held is an entry of a stream that was delivered and not acknowledged.
type held struct {
	acks       *acks
	stream, id string
}

// Done implements [delivery.Held].
func (h held) Done() { h.acks.add(h, done) }

// Later implements [delivery.Held].
func (h held) Later() { h.acks.add(h, keep) }

// Return implements [delivery.Held].
func (h held) Return() { h.acks.add(h, giveBack) }

// Extend implements [delivery.Held].
func (h held) Extend() { h.acks.add(h, keep) }

// A word is the fate that an executor gives to a run that it holds.
type word int

const (
	done     word = iota // acknowledge and delete it
	keep                 // restart the time after which it is delivered again
	giveBack             // let that time be over
)

// ackBatch limits the runs of one command.
const ackBatch = 500

// acks sends what executors say of their runs, so that nobody waits for it: all that comes while a
// transaction is sent goes into the next one. If Redis does not learn what was said of a run, it
// delivers the run again.
type acks struct {
	c     *conn
	wake  chan struct{}
	ended sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	said   map[word]map[string][]string
	closed bool
}

func newAcks(c *conn) *acks {
	a := &acks{c: c, wake: make(chan struct{}, 1), said: map[word]map[string][]string{}}
	a.ended.Go(a.send)
	return a
}

func (a *acks) add(h held, w word) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return
	}
	if a.said[w] == nil {
		a.said[w] = map[string][]string{}
	}
	a.said[w][h.stream] = append(a.said[w][h.stream], h.id)
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// close sends what is left.
func (a *acks) close() {
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		close(a.wake)
	}
	a.mu.Unlock()
	a.ended.Wait()
}

func (a *acks) send() {
	for open := true; open; {
		_, open = <-a.wake
		a.mu.Lock()
		said := a.said
		a.said = map[word]map[string][]string{}
		a.mu.Unlock()
		if len(said) > 0 {
			a.sendTransaction(said)
		}
	}
}

// sendTransaction sends one transaction: a run that is acknowledged and not deleted would stay in
// the stream, and nothing would deliver it.
func (a *acks) sendTransaction(said map[word]map[string][]string) {
	ctx, cancel := context.WithTimeout(context.Background(), broker.CallLimit)
	defer cancel()
	_, err := a.c.TxPipelined(ctx, func(p redis.Pipeliner) error {
		for w, streams := range said {
			for stream, ids := range streams {
				for len(ids) > 0 {
					n := min(ackBatch, len(ids))
					a.addCommands(ctx, p, w, stream, ids[:n])
					ids = ids[n:]
				}
			}
		}
		return nil
	})
	answered := redis.Error(nil)
	if errors.As(err, &answered) {
		a.c.logger.Warn("queue reports an error", "queue", a.c.shown, "err", err)
	}
}

// addCommands adds the commands for some runs. JUSTID leaves the number of deliveries as it is.
func (a *acks) addCommands(ctx context.Context, p redis.Pipeliner, w word, stream string, ids []string) {
	if w == done {
		remove(ctx, p, stream, ids...)
		return
	}
	args := []any{"xclaim", stream, group, a.c.consumer, 0}
	for _, id := range ids {
		args = append(args, id)
	}
	if w == giveBack {
		args = append(args, "idle", a.c.ackWait.Milliseconds())
	}
	p.Do(ctx, append(args, "justid")...)
}
