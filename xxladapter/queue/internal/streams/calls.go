package streams

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// reportLife limits one report, and the time for which Redis keeps it for a scheduler.
const reportLife = 30 * time.Second

// errNobody says that a call reached no subscriber.
var errNobody = errors.New("streams: nobody listens")

// Call implements [broker.Broker].
func (c *conn) Call(
	ctx context.Context, to xxladapter.QueueAddress, op string, header http.Header, body []byte,
) ([]byte, error) {
	return c.replies.ask(ctx, &message{Op: op, Header: header, body: body}, func(m *message) error {
		text, err := m.encode()
		if err != nil {
			return err
		}
		heard, err := c.Client.Publish(ctx, c.names.call(to), text).Result()
		if err == nil && heard == 0 {
			err = errNobody
		}
		return err
	})
}

// Report implements [broker.Broker]. The call is stored under a key of its own, which the first
// scheduler to hear of it deletes.
func (c *conn) Report(ctx context.Context, op, app string, header http.Header, body []byte) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, reportLife)
	defer cancel()
	return c.replies.ask(ctx, &message{Op: op, Header: header, body: body}, func(m *message) error {
		text, err := m.encode()
		if err != nil {
			return err
		}
		var heard *redis.IntCmd
		_, err = c.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, c.names.up(app)+":"+m.ID, text, reportLife)
			heard = p.Publish(ctx, c.names.up(app), m.ID)
			return nil
		})
		if err == nil && heard.Val() == 0 {
			err = errNobody
		}
		return err
	})
}

// Serve implements [broker.Broker].
func (c *conn) Serve(
	at xxladapter.QueueAddress, answer func(op string, header http.Header, body []byte) []byte,
) (stop func(), err error) {
	return c.serve(c.names.call(at), false, func(ctx context.Context, heard *redis.Message) {
		var m message
		if err := m.decode(heard.Payload); err != nil {
			c.logger.Warn("call over the queue dropped", "queue", c.shown, "err", err)
			return
		}
		c.reply(ctx, "", &m, answer(m.Op, m.Header, m.body))
	})
}

// ServeReports implements [broker.Broker].
func (c *conn) ServeReports(
	answer func(op, app string, header http.Header, body []byte) []byte,
) (stop func(), err error) {
	return c.serve(c.names.allUp(), true, func(ctx context.Context, heard *redis.Message) {
		app, ok := c.names.calledBy(heard.Channel) // the caller's user may publish for no other app
		if !ok {
			return
		}
		text, err := c.GetDel(ctx, heard.Channel+":"+heard.Payload).Result()
		if errors.Is(err, redis.Nil) {
			return // another scheduler has it
		}
		var m message
		if err == nil {
			err = m.decode(text)
		}
		if err != nil {
			c.logger.Warn("report over the queue dropped", "queue", c.shown, "app", app, "err", err)
			return
		}
		c.reply(ctx, app, &m, answer(m.Op, app, m.Header, m.body))
	})
}

// serve calls answer for each message of a channel, or of all channels of a pattern, until stop is
// called.
func (c *conn) serve(
	channel string, isPattern bool, answer func(ctx context.Context, heard *redis.Message),
) (stop func(), err error) {
	answers := broker.NewAnswers()
	ctx := context.Background() // each command has the client's limits
	unsubscribe, err := c.listen(ctx, channel, isPattern, listener{each: func(m *redis.Message) {
		answers.Go(func() { answer(ctx, m) })
	}})
	if err != nil {
		return nil, refused(err)
	}
	return func() {
		unsubscribe()
		answers.Wait()
	}, nil
}

// reply sends a reply to a caller of an app, or to a scheduler if app is empty. The caller chooses
// only the last part of the channel, so it cannot have a reply sent to others.
func (c *conn) reply(ctx context.Context, app string, m *message, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	if err := c.Client.Publish(ctx, c.names.reply(app, m.Reply), append([]byte(m.ID+"\n"), body...)).Err(); err != nil {
		c.logger.Warn("reply over the queue failed", "queue", c.shown, "op", m.Op, "err", err)
	}
}
