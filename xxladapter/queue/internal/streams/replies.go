package streams

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"

	"github.com/redis/go-redis/v9"
)

// errReplyLost says that the connection on which a reply was awaited was lost. The call may have
// reached somebody or not.
var errReplyLost = errors.New("streams: connection was lost before the reply came")

// replies has the calls that wait for a reply. All replies to one connection come on one channel.
type replies struct {
	to string // the last part of the channel

	mu      sync.Mutex               // guards waiting
	waiting map[string]chan<- []byte // closed if the reply is lost
}

// newReplies listens to the replies to an executor of an app, or to a scheduler if app is empty.
func newReplies(ctx context.Context, c *conn, app string) (*replies, error) {
	r := &replies{to: rand.Text(), waiting: map[string]chan<- []byte{}}
	_, err := c.listen(ctx, c.names.reply(app, r.to), false, listener{r.take, r.lose})
	return r, err
}

// take gives a reply to the call that waits for it. A message is a line with the id of the call,
// followed by the reply.
func (r *replies) take(m *redis.Message) {
	id, reply, _ := strings.Cut(m.Payload, "\n")
	r.mu.Lock()
	defer r.mu.Unlock()
	if waiting := r.waiting[id]; waiting != nil {
		delete(r.waiting, id)
		waiting <- []byte(reply) // it has room for one
	}
}

// lose ends all calls that wait. Their replies may have come while nobody listened, and a caller
// that waited for them until its deadline would lose seconds with each restart of Redis.
func (r *replies) lose() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, waiting := range r.waiting {
		delete(r.waiting, id)
		close(waiting)
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
	case got, ok := <-reply:
		if !ok {
			return nil, errReplyLost
		}
		return got, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
