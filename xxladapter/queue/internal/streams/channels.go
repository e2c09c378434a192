package streams

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

const (
	// channelSize limits the messages of a channel that wait until listener.each returns.
	channelSize = 1000
	// channelAlive is the period of the health checks of a channel's connection. If a check fails,
	// the client connects and subscribes again.
	channelAlive = 3 * time.Second
)

// errClosed says that the connection was closed by its owner.
var errClosed = errors.New("streams: connection is closed")

// A listener hears the messages of channels. Its functions are called from one goroutine.
type listener struct {
	each func(*redis.Message)
	// again is called after a lost connection, once the channel is subscribed to again: messages
	// that were sent in between are lost. Nil ignores the loss.
	again func()
}

// listen passes the messages of a channel, or of all channels of a pattern, to l. It returns when
// Redis has confirmed that it will send the messages. stop returns when l is not running and will
// not be called.
func (c *conn) listen(ctx context.Context, channel string, isPattern bool, l listener) (stop func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	subscribe := c.Subscribe
	if isPattern {
		subscribe = c.PSubscribe
	}
	sub := subscribe(ctx, channel)
	if _, err := sub.Receive(ctx); err != nil {
		_ = sub.Close() // it was never in use
		return nil, err
	}
	var reading sync.WaitGroup
	heard := sub.ChannelWithSubscriptions(
		redis.WithChannelSize(channelSize), redis.WithChannelHealthCheckInterval(channelAlive),
	)
	reading.Go(func() {
		for one := range heard {
			switch m := one.(type) {
			case *redis.Message:
				l.each(m)
			case *redis.Subscription: // not the first one, which was received above
				if l.again != nil {
					l.again()
				}
			}
		}
	})
	stop = sync.OnceFunc(func() {
		_ = sub.Close() // fails only if it is closed
		reading.Wait()
	})
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		stop()
		return nil, errClosed
	}
	c.channels = append(c.channels, stop)
	return stop, nil
}
