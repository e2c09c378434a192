//go:build unix

package streams

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// short is the time for an acknowledgement in tests that wait for it.
const short = 500 * time.Millisecond

func TestARunThatIsDoneLeavesTheStream(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s, e := connected(t, url, "", "s", time.Hour), connected(t, url, "orders", "a", time.Hour)
	require.NoError(t, s.Prepare(t.Context(), oneOf))
	header := http.Header{"X": {"1", "2"}}
	_, err := s.Publish(t.Context(), anyOf, "1", header, []byte("body\n\x00"))
	require.NoError(t, err)
	d := feeding(t, e, anyOf).next(t)
	require.Equal(t, []any{header, []byte("body\n\x00"), 1}, []any{d.Header, d.Body, d.Number})
	require.Equal(t, [2]int64{1, 1}, s.lies(t, anyOf))
	d.Done()
	s.becomes(t, anyOf, [2]int64{0, 0})
}

// TestEachRunHasItsOwnHeader takes runs whose headers equal the one before or differ from it, and
// an entry that somebody else has written.
func TestEachRunHasItsOwnHeader(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s, e := connected(t, url, "", "s", time.Hour), connected(t, url, "orders", "a", time.Hour)
	headers := []http.Header{{"A": {"1"}}, {"A": {"1"}}, {"A": {"2"}}, {}, {"A": {"1"}}}
	for i, h := range headers {
		_, err := s.Publish(t.Context(), anyOf, fmt.Sprint(i), h, nil)
		require.NoError(t, err)
	}
	require.NoError(t, s.XAdd(t.Context(), &redis.XAddArgs{Stream: s.names.run(anyOf), Values: []string{"h", "?"}}).Err())
	feed := feeding(t, e, anyOf)
	for _, h := range append(headers, http.Header{}) {
		require.Equal(t, h, feed.next(t).Header)
	}
}

// TestARunOfASilentExecutorIsDeliveredAgain has one executor take a run and say nothing.
func TestARunOfASilentExecutorIsDeliveredAgain(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s := connected(t, url, "", "s", short)
	a, b := connected(t, url, "orders", "a", short), connected(t, url, "orders", "b", short)
	publish(t, s, anyOf, "1", "run")
	took := time.Now()
	first := feeding(t, a, anyOf).next(t)
	again := feeding(t, b, anyOf).next(t)
	require.GreaterOrEqual(t, time.Since(took), short)
	require.Equal(t, []any{[]byte("run"), 2}, []any{again.Body, again.Number})
	first.Done() // it wakes late, and ends the run for the others too
	s.becomes(t, anyOf, [2]int64{0, 0})
}

// A barrier makes executors wait before they claim runs, until all of them have looked for some.
type barrier struct {
	missing atomic.Int32  // executors that have not looked yet
	open    chan struct{} // closed when none is missing
}

func (b *barrier) DialHook(next redis.DialHook) redis.DialHook { return next }

func (b *barrier) ProcessPipelineHook(next redis.ProcessPipelineHook) redis.ProcessPipelineHook {
	return next
}

func (b *barrier) ProcessHook(next redis.ProcessHook) redis.ProcessHook {
	return func(ctx context.Context, cmd redis.Cmder) error {
		if cmd.Name() == "xclaim" {
			if b.missing.Add(-1) == 0 {
				close(b.open)
			}
			select {
			case <-b.open:
			case <-ctx.Done():
			}
		}
		return next(ctx, cmd)
	}
}

// TestOfSeveralExecutorsOneGetsARunAgain has many find the same runs before one of them claims any.
func TestOfSeveralExecutorsOneGetsARunAgain(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	const runs, executors = 100, 8
	s := connected(t, url, "", "s", time.Hour)
	for i := range runs {
		publish(t, s, anyOf, fmt.Sprint(i), fmt.Sprint(i))
	}
	gone := connected(t, url, "orders", "gone", time.Hour)
	n := 0
	require.NoError(t, feeding(t, gone, anyOf).Take(t.Context(), runs, func(d delivery.Delivery) { n++; d.Return() }))
	require.Equal(t, runs, n)
	gone.Close()      // sends what was said by Return
	var mu sync.Mutex // guards taken
	taken := map[string]int{}
	var all sync.WaitGroup
	claims := barrier{open: make(chan struct{})}
	claims.missing.Store(executors)
	for i := range executors {
		e := connected(t, url, "orders", fmt.Sprint(i), time.Minute) // shorter than gone's, in case the clock is set back
		e.AddHook(&claims)
		feed := feeding(t, e, anyOf)
		all.Go(func() {
			err := feed.Take(t.Context(), runs, func(d delivery.Delivery) {
				mu.Lock()
				defer mu.Unlock()
				taken[string(d.Body)]++
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	require.Len(t, taken, runs)
	for body, n := range taken {
		require.Equal(t, 1, n, "deliveries of %s", body)
	}
}

// TestKeepLaterAndReturn has a run kept for three times as long as an executor has for it.
func TestKeepLaterAndReturn(t *testing.T) {
	testserver.Long(t) // it waits for limits in real time
	t.Parallel()
	url := ownURL(t)
	s := connected(t, url, "", "s", 3*time.Second)
	a, b := connected(t, url, "orders", "a", 3*time.Second), connected(t, url, "orders", "b", 3*time.Second)
	publish(t, s, anyOf, "1", "run")
	d, other := feeding(t, a, anyOf).next(t), feeding(t, b, anyOf)
	for took := time.Now(); time.Since(took) < 9*time.Second; {
		d.Extend()
		require.Nil(t, other.perhaps(t), "it is kept") // waits for a second
	}
	d.Later()
	require.Nil(t, other.perhaps(t), "not yet")
	d = other.next(t)
	require.Equal(t, 2, d.Number, "keeping counts as no delivery")
	for n := 3; n <= 7; n++ {
		returned := time.Now()
		d.Return()
		d = other.next(t)
		require.Equal(t, n, d.Number)
		require.Less(t, time.Since(returned), 2*time.Second, "at once")
	}
}

func TestAStreamThatIsGoneIsAnError(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s, e := connected(t, url, "", "s", time.Hour), connected(t, url, "orders", "a", time.Hour)
	_, err := e.Find(t.Context(), anyOf)
	require.ErrorContains(t, err, "NOGROUP")
	require.NoError(t, s.Prepare(t.Context(), oneOf))
	feed := feeding(t, e, anyOf)
	require.NoError(t, s.Del(t.Context(), s.names.run(anyOf)).Err())
	require.ErrorContains(t, feed.Take(t.Context(), 1, func(delivery.Delivery) {}), "NOGROUP")
	require.NoError(t, s.Prepare(t.Context(), oneOf))
	publish(t, s, oneOf, "1", "run")
	require.Equal(t, []byte("run"), feeding(t, e, oneOf).next(t).Body)
}
