// Package etcd elects leaders in etcd, by its API of version 3. Each process that campaigns has a
// key below the path, which exists as long as its lease. The oldest of these keys leads, and its
// create revision is the number of the leadership. Other keys below the path do not count, such as
// those of another place whose path continues this one.
//
// It authenticates by user and password; client certificates are not supported.
package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// An Elector is a place in an etcd cluster. Create one with [New].
type Elector struct {
	address elect.Address
	name    string // the value of this process's key, for people who look

	mu   sync.Mutex       // guards last
	last clientv3.LeaseID // of the campaign before, which may still keep its key
}

var _ elect.Elector = (*Elector)(nil)

// New returns an elector for the process that is called name. It makes sure that the cluster can be
// reached, and that the user may read and write below the path; the error is one line that says
// what is wrong.
func New(ctx context.Context, a elect.Address, name string) (*Elector, error) {
	e := &Elector{address: a, name: name}
	ctx, cancel := context.WithTimeout(ctx, elect.ContactLimit)
	defer cancel()
	if err := a.Reach(ctx); err != nil {
		return nil, err
	}
	client, err := e.connect(ctx)
	if err != nil {
		return nil, e.refused(err)
	}
	defer client.Close()
	// The condition is never true, and rights are checked before it.
	never := clientv3.Compare(clientv3.CreateRevision(e.prefix()), "<", 0)
	_, err = client.Txn(ctx).If(never).Then(
		clientv3.OpPut(e.prefix()+"0", ""), clientv3.OpGet(e.prefix(), clientv3.WithPrefix()),
	).Commit()
	if err != nil {
		return nil, e.refused(err)
	}
	return e, nil
}

// String returns the address without secrets.
func (e *Elector) String() string { return e.address.String() }

// prefix returns what the keys of all processes begin with.
func (e *Elector) prefix() string { return e.address.Path + "/" }

// keyOf returns the key of the process that has a lease.
func (e *Elector) keyOf(lease clientv3.LeaseID) string { return fmt.Sprintf("%s%x", e.prefix(), lease) }

// connect returns a new client, which retries in silence. With a user it signs in, which ctx
// limits; the client itself outlives ctx.
func (e *Elector) connect(ctx context.Context) (*clientv3.Client, error) {
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, end)
	scheme := "http://"
	if e.address.TLS != nil {
		scheme = "https://"
	}
	config := clientv3.Config{
		TLS: e.address.TLS, Username: e.address.User, Password: e.address.Password,
		DialTimeout: elect.ContactLimit, DialKeepAliveTime: elect.SessionLife / 2,
		DialKeepAliveTimeout: elect.SessionLife / 2,
		Context:              life,
		Logger:               zap.NewNop(),
	}
	for _, host := range e.address.Hosts {
		config.Endpoints = append(config.Endpoints, scheme+host)
	}
	client, err := clientv3.New(config)
	if err == nil && !stop() {
		err = errors.Join(ctx.Err(), client.Close())
	}
	if err != nil {
		end()
		return nil, cmp.Or(ctx.Err(), err)
	}
	return client, nil
}

// refused says in one line why the cluster cannot be used.
func (e *Elector) refused(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrAuthFailed), errors.Is(err, rpctypes.ErrUserEmpty),
		errors.Is(err, rpctypes.ErrAuthNotEnabled), errors.Is(err, rpctypes.ErrInvalidAuthToken):
		return fmt.Errorf("elector %s refuses the credentials: %w", e, err)
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return fmt.Errorf("elector %s: the user may not read and write below %s: %w", e, e.prefix(), err)
	}
	return fmt.Errorf("elector %s cannot be used: %w", e, err)
}

// Campaign implements [elect.Elector].
func (e *Elector) Campaign(ctx context.Context, stands func()) (elect.Leadership, error) {
	contact, cancel := context.WithTimeout(ctx, elect.ContactLimit)
	defer cancel()
	client, err := e.connect(contact)
	if err != nil {
		return nil, cmp.Or(ctx.Err(), e.refused(err))
	}
	l := &leadership{client: client, ended: make(chan struct{})}
	if err := e.stand(contact, l); err != nil {
		return nil, errors.Join(e.refused(err), client.Close())
	}
	go l.follow() // Resign waits for it
	if stands != nil {
		stands()
	}
	if err := e.wait(ctx, l); err != nil {
		limit, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = l.Resign(limit) // the key goes with its lease otherwise
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, e.refused(err)
	}
	return l, nil
}

// stand puts this process's key. ctx limits how long the cluster may take.
func (e *Elector) stand(ctx context.Context, l *leadership) error {
	e.mu.Lock()
	last := e.last
	e.mu.Unlock()
	if last != 0 {
		// The key of the campaign before would make this one wait for its own process.
		if _, err := l.client.Revoke(ctx, last); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
			return err
		}
	}
	lease, err := l.client.Grant(ctx, int64(elect.SessionLife/time.Second))
	if err != nil {
		return err
	}
	e.mu.Lock()
	e.last = lease.ID
	e.mu.Unlock()
	l.lease, l.key = lease.ID, e.keyOf(lease.ID)
	put, err := l.client.Put(ctx, l.key, e.name, clientv3.WithLease(lease.ID))
	if err != nil {
		return err
	}
	l.number = put.Header.Revision
	// KeepAlive and Watch last as long as the client, which ends with the leadership.
	if l.alive, err = l.client.KeepAlive(l.client.Ctx(), lease.ID); err != nil {
		return err
	}
	l.changes = l.client.Watch(l.client.Ctx(), l.key, clientv3.WithRev(l.number+1), clientv3.WithFilterPut())
	return nil
}

// errEnded says that a session ended while its process waited.
var errEnded = errors.New("the session has ended")

// wait returns when all keys that are older than this process's are gone.
func (e *Elector) wait(ctx context.Context, l *leadership) error {
	ctx, cancel := context.WithCancel(ctx)
	var watching sync.WaitGroup
	defer func() { cancel(); watching.Wait() }()
	watching.Go(func() {
		select {
		case <-l.ended:
			cancel()
		case <-ctx.Done():
		}
	})
	for {
		found, err := l.client.Get(
			ctx, e.prefix(), clientv3.WithPrefix(), clientv3.WithMaxCreateRev(l.number-1),
			clientv3.WithSort(clientv3.SortByCreateRevision, clientv3.SortDescend),
		)
		before := ""
		if err == nil {
			before = e.newest(found.Kvs)
		}
		if before != "" {
			err = l.awaitDeletion(ctx, before, found.Header.Revision+1)
		}
		select {
		case <-l.ended:
			return errEnded
		default:
		}
		if err != nil {
			return err
		}
		if before == "" {
			return nil
		}
	}
}

// newest returns the first key of a process in a list that begins with the newest key; "" means
// that there is none.
func (e *Elector) newest(list []*mvccpb.KeyValue) string {
	for _, kv := range list {
		if key := string(kv.Key); kv.Lease != 0 && key == e.keyOf(clientv3.LeaseID(kv.Lease)) {
			return key
		}
	}
	return ""
}
