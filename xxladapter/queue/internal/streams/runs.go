package streams

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// maxRun limits the size of a run in bytes; it is also the default of NATS. Redis would accept far
// more, and hold up everybody else meanwhile.
const maxRun = 1 << 20

// errFull says that an address has as many runs as it may have.
var errFull = errors.New("streams: queue of the address is full")

// Publish implements [broker.Broker].
func (c *conn) Publish(
	ctx context.Context, to xxladapter.QueueAddress, key string, header http.Header, run []byte,
) (position uint64, err error) {
	if len(run) > maxRun {
		return 0, fmt.Errorf("%w: %d bytes, must be at most %d", broker.ErrTooLarge, len(run), maxRun)
	}
	if c.health.away() {
		return 0, broker.ErrAway
	}
	head, err := json.Marshal(header)
	if err != nil {
		return 0, err
	}
	text, err := c.publications.publish(
		&publication{ctx: ctx, to: to, key: key, head: head, run: run, done: make(chan struct{})},
	)
	c.health.notice(err)
	if err == nil && text == "-1" {
		err = errFull
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseUint(text, 10, 64)
}

// idOf returns the id of the run at a position in its stream.
func idOf(position uint64) string { return strconv.FormatUint(position, 10) + "-0" }

// Holds implements [broker.Broker].
func (c *conn) Holds(ctx context.Context, to xxladapter.QueueAddress, position uint64, key string) (bool, error) {
	found, err := c.XRange(ctx, c.names.run(to), idOf(position), idOf(position)).Result()
	if err != nil || len(found) == 0 {
		return false, err
	}
	return found[0].Values["k"] == key, nil // a Redis that lost its data may give positions again
}

// Clear implements [broker.Broker]. The script of the next publication creates the stream again.
func (c *conn) Clear(ctx context.Context, to xxladapter.QueueAddress) error {
	return c.Del(ctx, c.names.run(to)).Err()
}

// remove acknowledges runs of a stream and deletes them from it.
func remove(ctx context.Context, p redis.Pipeliner, stream string, ids ...string) {
	p.XAck(ctx, stream, group, ids...)
	p.XDel(ctx, stream, ids...)
}

// Prepare implements [broker.Broker]: it creates the streams of an app and of an executor with
// their groups, and forgets executors of the app that are gone.
func (c *conn) Prepare(ctx context.Context, at xxladapter.QueueAddress) error {
	keys := []string{c.names.queues(), c.names.run(xxladapter.QueueAddress{App: at.App}), c.names.run(at)}
	if err := prepareScript.Run(ctx, c, keys, broker.IdleLife.Milliseconds()).Err(); err != nil {
		return refused(err)
	}
	return nil
}
