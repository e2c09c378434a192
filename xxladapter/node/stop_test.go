package node

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/delivery"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A silentStore does not answer when it is asked for groups. Once the call's context has ended, it
// sends the error to left.
type silentStore struct {
	xxladapter.Store
	left chan error
}

func (s silentStore) Groups(ctx context.Context) ([]*xxladapter.Group, error) {
	<-ctx.Done()
	s.left <- ctx.Err()
	return nil, ctx.Err()
}

// TestAStopEndsTheCallsInFlight stops a node while a call waits for the store. The call has not
// read its body, and until it has, net/http does not notice that its connection is closed.
func TestAStopEndsTheCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := silentStore{memstore.New(time.Now), make(chan error, 1)}
		n, err := New(Options{Store: store, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		ln := testserver.NewPipes()
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Serve(ctx, ln) }()
		conn, err := ln.Dial(ctx, "", "")
		require.NoError(t, err)
		defer conn.Close()
		_, err = fmt.Fprint(conn, "POST /api/callback HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n[")
		require.NoError(t, err)
		synctest.Wait()

		stop()
		stopped := time.Now()
		require.NoError(t, <-ended)
		require.Equal(t, answerLimit, time.Since(stopped))
		synctest.Wait()
		select {
		case err := <-store.left:
			require.ErrorIs(t, err, context.Canceled)
		default:
			t.Fatal("the call still waits for the store")
		}
	})
}

// A fakeBroker passes reports to the node. Its stop waits for the answers, as that of a broker
// does.
type fakeBroker struct {
	Broker
	answer  chan delivery.ReportAnswer
	answers sync.WaitGroup
}

func (b *fakeBroker) Never() error         { return nil }
func (b *fakeBroker) Connected() time.Time { return time.Now() }

func (b *fakeBroker) ServeReports(answer delivery.ReportAnswer) (stop func(), err error) {
	b.answer <- answer
	return b.answers.Wait, nil
}

// TestAStopEndsTheReportsInFlight stops a node while a report over the queue waits for the store.
func TestAStopEndsTheReportsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := silentStore{memstore.New(time.Now), make(chan error, 1)}
		broker := &fakeBroker{answer: make(chan delivery.ReportAnswer, 1)}
		n, err := New(Options{Store: store, Queue: broker, Logger: slog.New(slog.DiscardHandler)})
		require.NoError(t, err)
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- n.Serve(ctx, testserver.NewPipes()) }()
		answer := <-broker.answer
		broker.answers.Go(func() { answer(wire.OpCallback, "some-app", nil, []byte("[]")) })
		synctest.Wait()
		require.Empty(t, store.left)

		stop()
		stopped := time.Now()
		select {
		case err := <-ended:
			require.NoError(t, err)
		case <-time.After(time.Hour): // in a bubble
			t.Fatal("the node still waits for the report")
		}
		require.Equal(t, answerLimit, time.Since(stopped))
		require.ErrorIs(t, <-store.left, context.Canceled)
	})
}
