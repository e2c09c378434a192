package redisstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// trust is how long a process believes an answer that names the primary, counted from the
	// question. A process that begins a log anew on another primary waits as long, see
	// [server.Begin].
	trust = time.Second
	// askPause is the pause between two questions to a sentinel or to a node of a cluster.
	askPause = 200 * time.Millisecond
	// askLimit limits one question.
	askLimit = 500 * time.Millisecond
	// firstLimit limits the wait for the first answers.
	firstLimit = 3 * time.Second
)

// errFormer is the error of a call whose server is no longer the primary. The call may have changed
// that server.
var errFormer = errors.New("redis has another primary now")

// A quorum knows the primary that a majority has named within trust. Sentinels and the nodes of a
// cluster form majorities.
type quorum struct {
	mayLose  bool // see Options
	options  func(host string) (*redis.Options, error)
	majority func() (promotion, error) // returns the primary that is named now; mu is held
	ctx      context.Context           // ends with Close
	cancel   context.CancelFunc
	asking   sync.WaitGroup // of the goroutines that ask
	asked    chan struct{}  // gets a value when there is an answer

	mu     sync.Mutex // guards the fields below, and the answers
	closed bool
	last   *client // the primary that was named last; nil before the first
}

// A promotion identifies a primary: a server that is promoted again is another one.
type promotion struct {
	address, epoch string
	home           home // empty unless the server belongs to a cluster
}

func newQuorum(options func(string) (*redis.Options, error), mayLose bool, majority func() (promotion, error)) *quorum {
	q := &quorum{options: options, mayLose: mayLose, majority: majority, asked: make(chan struct{}, 1)}
	q.ctx, q.cancel = context.WithCancel(context.Background())
	return q
}

// age returns how old a moment is by the monotonic clock or by the wall clock, whichever says more:
// the monotonic clock may stand still while the machine is suspended.
func age(of time.Time) time.Duration {
	now := time.Now()
	return max(now.Sub(of), now.Round(0).Sub(of.Round(0)))
}

// note stores an answer.
func (q *quorum) note(answer func()) {
	q.mu.Lock()
	answer()
	_, _ = q.settle() // notes since when a new primary is known
	q.mu.Unlock()
	select {
	case q.asked <- struct{}{}:
	default:
	}
}

// settle returns a client of the primary.
//
// REQUIRES: q.mu is held.
func (q *quorum) settle() (*client, error) {
	if q.closed {
		return nil, redis.ErrClosed
	}
	n, err := q.majority()
	if err != nil {
		return nil, err
	}
	if q.last != nil && q.last.named == n {
		return q.last, nil
	}
	now, err := q.client(n)
	if err != nil {
		return nil, err
	}
	former := q.last
	q.last = now
	if former != nil {
		_ = former.Close() // its calls fail, as they must
	}
	return q.last, nil
}

// client returns a client of a server whose settings are checked on each connection.
func (q *quorum) client(n promotion) (*client, error) {
	opts, err := q.options(n.address)
	if err != nil {
		return nil, err
	}
	c := newClient(opts)
	c.named, c.since = n, time.Now()
	c.verifySettings("primary "+n.address, q.mayLose)
	return c, nil
}

// primary implements [target].
func (q *quorum) primary() (*client, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.settle()
}

// confirm implements [target].
func (q *quorum) confirm(c *client) error {
	now, err := q.primary()
	if err == nil && now != c {
		err = errFormer
	}
	return err
}

// first calls enough after each answer until that returns nil or an [xxladapter.Error], for
// firstLimit at most. It returns the last error of enough.
func (q *quorum) first(ctx context.Context, enough func() error) error {
	ctx, cancel := context.WithTimeout(ctx, firstLimit)
	defer cancel()
	for {
		err := enough()
		if mistake := (*xxladapter.Error)(nil); err == nil || errors.As(err, &mistake) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-q.asked:
		}
	}
}

// Close implements [target].
func (q *quorum) Close() error {
	q.cancel()
	q.asking.Wait()
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.last == nil {
		return nil
	}
	return q.last.Close()
}
