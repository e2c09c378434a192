// Package zookeeper elects leaders in ZooKeeper. Each process that campaigns has an ephemeral node
// below the path; the oldest one leads, and the id of the transaction that created it is the number
// of the leadership.
//
// A user and a password are used by the scheme digest, and then the nodes are open only to that
// user. SASL, Kerberos and client certificates are not supported. An ensemble keeps a session for
// at least two ticks, so with a tickTime of more than 2 s a silent leader is replaced later.
package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// An Elector is a place in a ZooKeeper ensemble. Create one with [New].
type Elector struct {
	address elect.Address
	name    string // the content of this process's node, for people who look

	mu   sync.Mutex // guards last
	last string     // the node of the previous campaign, which may still exist with its session
}

var _ elect.Elector = (*Elector)(nil)

// New returns an elector for the process that is called name. It makes sure that the ensemble can
// be reached, and that the user may create nodes below the path; the error is one line that says
// what is wrong.
func New(ctx context.Context, a elect.Address, name string) (*Elector, error) {
	e := &Elector{address: a, name: name}
	ctx, cancel := context.WithTimeout(ctx, elect.ContactLimit)
	defer cancel()
	if err := a.Reach(ctx); err != nil {
		return nil, err
	}
	s, err := e.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer s.close()
	defer context.AfterFunc(ctx, s.close)()
	probe, err := s.conn.CreateProtectedEphemeralSequential(e.address.Path+"/probe-", nil, e.acl())
	if err == nil {
		err = s.conn.Delete(probe, -1)
	}
	if err != nil {
		return nil, e.refused(err)
	}
	return e, nil
}

// String returns the address without secrets.
func (e *Elector) String() string { return e.address.String() }

func (e *Elector) acl() []zk.ACL {
	if e.address.User != "" {
		return zk.AuthACL(zk.PermAll)
	}
	return zk.WorldACL(zk.PermAll)
}

// refused says in one line why the ensemble cannot be used.
func (e *Elector) refused(err error) error {
	switch {
	case errors.Is(err, zk.ErrNoAuth), errors.Is(err, zk.ErrAuthFailed), errors.Is(err, zk.ErrInvalidACL):
		return fmt.Errorf(
			"elector %s refuses the credentials, or the user may not create nodes below %s: %w", e, e.address.Path, err,
		)
	case errors.Is(err, zk.ErrInvalidPath):
		return fmt.Errorf("elector %s: the path is not a valid ZooKeeper path: %w", e, err)
	case errors.Is(err, zk.ErrClosing), errors.Is(err, zk.ErrConnectionClosed), errors.Is(err, zk.ErrNoServer):
		return fmt.Errorf("elector %s does not answer: %w", e, err)
	}
	return fmt.Errorf("elector %s cannot be used: %w", e, err)
}

// begin opens a session and creates the path. It is limited by ctx.
func (e *Elector) begin(ctx context.Context) (*session, error) {
	s, err := open(e.address)
	if err != nil {
		return nil, e.refused(err)
	}
	stop := context.AfterFunc(ctx, s.close)
	if e.address.User != "" {
		err = s.conn.AddAuth("digest", []byte(e.address.User+":"+e.address.Password))
	}
	if err == nil {
		err = e.createPath(s.conn)
	}
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		s.close()
		return nil, e.refused(err)
	}
	return s, nil
}

// createPath creates the nodes of the path that do not exist.
func (e *Elector) createPath(conn *zk.Conn) error {
	if found, _, err := conn.Exists(e.address.Path); found || err != nil {
		return err
	}
	for i := 1; i <= len(e.address.Path); i++ {
		if i < len(e.address.Path) && e.address.Path[i] != '/' {
			continue
		}
		if found, _, err := conn.Exists(e.address.Path[:i]); err != nil {
			return err
		} else if found {
			continue
		}
		if _, err := conn.Create(e.address.Path[:i], nil, 0, e.acl()); err != nil && !errors.Is(err, zk.ErrNodeExists) {
			return err
		}
	}
	return nil
}

// Campaign implements [elect.Elector].
func (e *Elector) Campaign(ctx context.Context, stands func()) (elect.Leadership, error) {
	contact, cancel := context.WithTimeout(ctx, elect.ContactLimit)
	defer cancel()
	s, err := e.begin(contact)
	if err != nil {
		return nil, e.ended(ctx, err)
	}
	stop := context.AfterFunc(contact, s.close)
	l, err := e.stand(s)
	stop() // if contact has ended before, the session is closed
	if err != nil {
		s.close()
		return nil, e.ended(ctx, e.refused(err))
	}
	go l.follow() // Resign waits for it
	if stands != nil {
		stands()
	}
	if err := e.wait(ctx, l); err != nil {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.Resign(limit) // the node goes with its session otherwise
		return nil, e.ended(ctx, e.refused(err))
	}
	return l, nil
}

// ended returns why a campaign ended.
func (e *Elector) ended(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// stand creates this process's node.
func (e *Elector) stand(s *session) (*leadership, error) {
	e.mu.Lock()
	last := e.last
	e.mu.Unlock()
	if last != "" {
		// It would make this campaign wait for its own former self.
		if err := s.conn.Delete(last, -1); err != nil && !errors.Is(err, zk.ErrNoNode) {
			return nil, err
		}
	}
	node, err := s.conn.CreateProtectedEphemeralSequential(e.address.Path+"/"+nodes, []byte(e.name), e.acl())
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	e.last = node
	e.mu.Unlock()
	found, stat, changes, err := s.conn.ExistsW(node)
	if err == nil && !found {
		err = zk.ErrNoNode
	}
	if err != nil {
		return nil, err
	}
	return &leadership{session: s, node: node, number: stat.Czxid, changes: changes, done: make(chan struct{})}, nil
}

// nodes is the prefix of the names of the processes' nodes. The library puts a prefix of its own
// before it.
const nodes = "n-"

// order returns the number that ZooKeeper has put at the end of a node's name.
func order(node string) string { return node[strings.LastIndex(node, "-")+1:] }

// errEnded says that a session ended while its process waited.
var errEnded = errors.New("the session has ended")

// wait returns when all older nodes are gone. If ctx ends while the server owes an answer, the
// session ends too.
func (e *Elector) wait(ctx context.Context, l *leadership) error {
	mine := path.Base(l.node)
	for {
		stop := context.AfterFunc(ctx, l.session.close)
		before, changed, err := e.before(l.session.conn, mine)
		if !stop() && err == nil {
			err = ctx.Err()
		}
		if err != nil || before == "" {
			return err
		}
		if changed == nil {
			continue // it is gone
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.done:
			return errEnded
		case <-changed:
		}
	}
}

// before returns the node before mine, and a channel that reports its next change. The name is
// empty if mine is the oldest, and the channel is nil if the node before mine has gone meanwhile.
func (e *Elector) before(conn *zk.Conn, mine string) (node string, changed <-chan zk.Event, err error) {
	all, _, err := conn.Children(e.address.Path)
	if err != nil {
		return "", nil, err
	}
	all = slices.DeleteFunc(all, func(node string) bool { return !strings.Contains(node, "-"+nodes) })
	slices.SortFunc(all, func(a, b string) int { return strings.Compare(order(a), order(b)) })
	switch at := slices.Index(all, mine); {
	case at < 0:
		return "", nil, errEnded
	case at > 0:
		node = all[at-1]
	default:
		return "", nil, nil
	}
	found, _, changed, err := conn.ExistsW(path.Join(e.address.Path, node))
	if err != nil || !found {
		changed = nil
	}
	return node, changed, err
}
