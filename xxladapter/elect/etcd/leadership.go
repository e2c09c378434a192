package etcd

import (
	"context"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// A leadership is a campaign, and what becomes of it. It has a client of its own.
type leadership struct {
	client  *clientv3.Client
	lease   clientv3.LeaseID
	key     string
	number  int64
	alive   <-chan *clientv3.LeaseKeepAliveResponse // closed when the lease may have ended
	changes clientv3.WatchChan                      // of the key

	closing sync.Once     // closes the client, after the last call on it
	ended   chan struct{} // closed by follow
}

// Number implements [elect.Leadership].
func (l *leadership) Number() int64 { return l.number }

// Done implements [elect.Leadership].
func (l *leadership) Done() <-chan struct{} { return l.ended }

// Resign implements [elect.Leadership].
func (l *leadership) Resign(ctx context.Context) (err error) {
	l.closing.Do(func() {
		defer func() { _ = l.client.Close() }() // if this call comes first, follow does not close it
		select {
		case <-l.ended:
			return
		default:
		}
		_, err = l.client.Revoke(ctx, l.lease)
	})
	<-l.ended
	return err
}

// follow waits until the lease has ended or the key was deleted, and closes the client.
func (l *leadership) follow() {
	defer l.closing.Do(func() { _ = l.client.Close() })
	defer close(l.ended)
	changes := l.changes
	// The client waits for its first answer longer than the lease lasts, and looks at the time once
	// a second.
	silent := time.NewTimer(elect.SessionLife)
	defer silent.Stop()
	for {
		select {
		case <-silent.C:
			return
		case answer, ok := <-l.alive:
			if !ok {
				return
			}
			silent.Reset(time.Duration(answer.TTL) * time.Second) // a server may raise it
		case change, ok := <-changes:
			if !ok {
				changes = nil // then only the lease tells
				continue
			}
			if len(change.Events) > 0 {
				return // an operator has deleted the key
			}
		}
	}
}

// awaitDeletion returns when a key is deleted at revision from or later, or when the key has to be
// looked at again.
func (l *leadership) awaitDeletion(ctx context.Context, key string, from int64) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for change := range l.client.Watch(ctx, key, clientv3.WithRev(from), clientv3.WithFilterPut()) {
		if change.Err() != nil || len(change.Events) > 0 {
			return nil
		}
	}
	return ctx.Err()
}
