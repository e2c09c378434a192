package zookeeper

import (
	"context"
	"errors"
	"sync"

	"github.com/go-zookeeper/zk"
)

// A leadership is a campaign, and what becomes of it. It has a session of its own.
type leadership struct {
	session *session
	node    string
	number  int64
	changes <-chan zk.Event // of the node

	closing sync.Once     // closes the session, after the last call on it
	done    chan struct{} // closed by follow
}

// Number implements [elect.Leadership].
func (l *leadership) Number() int64 { return l.number }

// Done implements [elect.Leadership].
func (l *leadership) Done() <-chan struct{} { return l.done }

// Resign implements [elect.Leadership].
func (l *leadership) Resign(ctx context.Context) (err error) {
	l.closing.Do(func() {
		defer l.session.close() // if this call comes first, follow does not close the session
		select {
		case <-l.done:
			return
		default:
		}
		stop := context.AfterFunc(ctx, l.session.close)
		defer stop()
		if err = l.session.conn.Delete(l.node, -1); errors.Is(err, zk.ErrNoNode) {
			err = nil
		}
	})
	<-l.done
	return err
}

// follow waits until the session has ended or the node was deleted, and closes the session.
func (l *leadership) follow() {
	defer l.closing.Do(l.session.close)
	defer close(l.done)
	changes := l.changes
	for {
		select {
		case <-l.session.over:
			return
		case e := <-changes:
			if e.Type == zk.EventNodeDeleted {
				return
			}
			// The library has given up the watch; only the end of the session is noticed then.
			changes = nil
		}
	}
}
