package streams

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// claimEvery is the time between two searches for runs to deliver again. A request for runs waits
// for new runs for the same time.
const claimEvery = time.Second

// A source is the stream of one address.
type source struct {
	c      *conn
	stream string
	looked time.Time // the last search for runs to deliver again

	// The header of the last delivery, as text and parsed. Most runs of an app have the same.
	head   string
	header http.Header
}

// Find implements [broker.Broker].
func (c *conn) Find(ctx context.Context, of xxladapter.QueueAddress) (broker.Source, error) {
	s := &source{c: c, stream: c.names.run(of)}
	return s, c.XPending(ctx, s.stream, group).Err() // an error if the group is missing
}

// Take implements [broker.Source].
func (s *source) Take(ctx context.Context, n int, take func(delivery.Delivery)) error {
	ctx, cancel := context.WithTimeout(ctx, claimEvery+broker.CallLimit)
	defer cancel()
	if now := time.Now(); now.Sub(s.looked) >= claimEvery {
		s.looked = now
		if some, err := s.takeAgain(ctx, n, take); some || err != nil {
			return err
		}
	}
	found, err := s.c.XReadGroup(ctx, &redis.XReadGroupArgs{
		Group: group, Consumer: s.c.consumer, Streams: []string{s.stream, ">"}, Count: int64(n), Block: claimEvery,
	}).Result()
	if err != nil && !errors.Is(err, redis.Nil) { // Nil means that none has arrived
		return err
	}
	for _, one := range found {
		for _, m := range one.Messages {
			s.deliver(m, 1, take)
		}
	}
	return nil
}

// takeAgain takes up to n runs that were delivered and not acknowledged in time. A claim restarts
// that time, so that only one of several executors that search at once gets a run.
func (s *source) takeAgain(ctx context.Context, n int, take func(delivery.Delivery)) (some bool, err error) {
	overdue, err := s.c.XPendingExt(ctx, &redis.XPendingExtArgs{
		Stream: s.stream, Group: group, Idle: s.c.ackWait, Start: "-", End: "+", Count: int64(n),
	}).Result()
	if err != nil || len(overdue) == 0 {
		return false, err
	}
	ids, number := make([]string, len(overdue)), map[string]int{}
	for i, one := range overdue {
		ids[i], number[one.ID] = one.ID, int(one.RetryCount)+1
	}
	claimed, err := s.c.XClaim(ctx, &redis.XClaimArgs{
		Stream: s.stream, Group: group, Consumer: s.c.consumer, MinIdle: s.c.ackWait, Messages: ids,
	}).Result()
	for _, m := range claimed {
		s.deliver(m, number[m.ID], take)
	}
	return len(claimed) > 0, err
}

// deliver passes an entry of the stream to the function take.
func (s *source) deliver(m redis.XMessage, number int, take func(delivery.Delivery)) {
	d := delivery.Delivery{Number: number, Held: held{s.c.acks, s.stream, m.ID}}
	head, _ := m.Values["h"].(string)
	body, _ := m.Values["b"].(string)
	if head != s.head || s.header == nil {
		s.head, s.header = head, nil
		if json.Unmarshal([]byte(head), &s.header) != nil || s.header == nil { // a foreign entry; take judges its body
			s.header = http.Header{}
		}
	}
	d.Header, d.Body = s.header, []byte(body)
	take(d)
}
