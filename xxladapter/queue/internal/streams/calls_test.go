//go:build unix

package streams

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestCallsHaveReplies(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	e := connected(t, url, "orders", "a", time.Hour)
	var schedulers [2]*conn
	var answered [2]atomic.Int64
	for i := range schedulers {
		schedulers[i] = connected(t, url, "", "s", time.Hour)
	}
	_, err := e.Report(t.Context(), "registry", "orders", nil, nil)
	require.ErrorIs(t, err, errNobody)
	_, err = schedulers[0].Call(t.Context(), oneOf, "kill", nil, nil)
	require.ErrorIs(t, err, errNobody)

	var stops []func()
	for i, s := range schedulers {
		stop, err := s.ServeReports(func(op, app string, header http.Header, body []byte) []byte {
			answered[i].Add(1)
			return fmt.Appendf(nil, "%s of %s %v\n%s", op, app, header, body)
		})
		require.NoError(t, err)
		stops = append(stops, stop)
	}
	stop, err := e.Serve(oneOf, func(op string, header http.Header, body []byte) []byte {
		return fmt.Appendf(nil, "%s %v\n%s", op, header, body)
	})
	require.NoError(t, err)
	stops = append(stops, stop)

	const calls = 200
	ctx := limited(t)
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			body := fmt.Sprint("body\n", i)
			got, err := e.Report(ctx, "callback", "orders", http.Header{"A": {"b"}}, []byte(body))
			if want := "callback of orders map[A:[b]]\n" + body; err != nil || string(got) != want {
				t.Errorf("report %d: %q, %v", i, got, err)
			}
			got, err = schedulers[i%2].Call(ctx, oneOf, "log", http.Header{"A": {"b"}}, []byte(body))
			if want := "log map[A:[b]]\n" + body; err != nil || string(got) != want {
				t.Errorf("call %d: %q, %v", i, got, err)
			}
		})
	}
	all.Wait()
	require.EqualValues(t, calls, answered[0].Load()+answered[1].Load(), "each by one scheduler")
	for _, stop := range stops {
		stop()
	}
	// Redis may see a moment later that the connection is closed; until then a call has no reply.
	require.Eventually(t, func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		_, err := schedulers[0].Call(ctx, oneOf, "kill", nil, nil)
		return errors.Is(err, errNobody)
	}, 10*time.Second, 10*time.Millisecond)
}

// TestAReplyGoesToItsCallerAlone has a caller name the channel of another one as its own.
func TestAReplyGoesToItsCallerAlone(t *testing.T) {
	t.Parallel()
	s := connected(t, ownURL(t), "", "s", time.Hour)
	stop, err := s.ServeReports(func(string, string, http.Header, []byte) []byte { return nil })
	require.NoError(t, err)
	defer stop()
	channels := s.PSubscribe(t.Context(), s.names.prefix()+"*")
	defer channels.Close()
	_, err = channels.Receive(t.Context())
	require.NoError(t, err)
	m := message{ID: "1", Reply: "x:../" + s.names.call(oneOf), Op: "callback"}
	text, err := m.encode()
	require.NoError(t, err)
	require.NoError(t, s.Set(t.Context(), s.names.up("orders")+":1", text, 0).Err())
	require.NoError(t, s.Client.Publish(t.Context(), s.names.up("orders"), "1").Err())
	for ctx := limited(t); ; {
		heard, err := channels.ReceiveMessage(ctx)
		require.NoError(t, err)
		if heard.Channel != s.names.up("orders") {
			require.Equal(t, s.names.prefix()+"reply:app:orders:"+m.Reply, heard.Channel)
			return
		}
	}
}

func TestACallWithoutAReplyEnds(t *testing.T) {
	t.Parallel()
	url := ownURL(t)
	s, e := connected(t, url, "", "s", time.Hour), connected(t, url, "orders", "a", time.Hour)
	wait := make(chan struct{})
	stop, err := e.Serve(oneOf, func(string, http.Header, []byte) []byte { <-wait; return nil })
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = s.Call(ctx, oneOf, "log", nil, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	close(wait)
	stop()
	require.Empty(t, s.replies.waiting)
}
