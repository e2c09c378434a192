package streams

import (
	"context"
	"crypto/rand"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// replies has the calls that wait for a reply. All replies to one connection come on one channel.
type replies struct {
	to string // the last part of the channel

	mu      sync.Mutex // guards waiting
	waiting map[string]chan<- []byte
}

// newReplies listens to the replies to an executor of an app, or to a scheduler if app is empty.
func newReplies(ctx context.Context, c *conn, app string) (*replies, error) {
	r := &replies{to: rand.Text(), waiting: map[string]chan<- []byte{}}
	_, err := c.listen(ctx, c.names.reply(app, r.to), false, r.take)
	return r, err
}

// take gives a reply to the call that waits for it. A message is the call's id in one line, and the
// reply after it.
func (r *replies) take(m *redis.Message) {
	id, reply, _ := strings.Cut(m.Payload, "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	if waiting := r.waiting[id]; waiting != nil {
		delete(r.waiting, id)
		waiting <- []byte(reply) // it has room for one
	}
}

// ask gives a message an id, sends it and waits for the reply.
func (r *replies) ask(ctx context.Context, m *message, send func(*message) error) ([]byte, error) {
	m.ID, m.Reply = rand.Text(), r.to
	reply := make(chan []byte, 1)
	r.mu.Lock()
	r.waiting[m.ID] = reply
	r.mu.Unlock()
	defer func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.waiting, m.ID)
	}()
	if err := send(m); err != nil {
		return nil, err
	}
	select {
	case got := <-reply:
		return got, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
