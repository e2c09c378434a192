package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A cluster knows which of its nodes owns the slot of a log: the node that more than half of all
// nodes, replicas included, name as the owner, and that names itself. Answers older than trust do
// not count.
type cluster struct {
	*quorum
	address *address
	names   bool          // nodes are reached by the names that they announce
	soon    chan struct{} // gets a value when the nodes are to be asked now
	version atomic.Int64  // counts the changes of histories

	// The fields below are guarded by mu.

	key       string            // the slot of this key has the log; empty until the log is known
	nodes     map[string]*node  // by address
	importing *client           // of the node to which the owner redirected last; nil means none
	histories map[string]string // of each master by id, as it has answered last
	found     promotion         // what majority has found since the last answer; empty means nothing
	oldest    time.Time         // when the oldest answer behind found was asked for
}

// newCluster begins to ask the nodes.
func newCluster(a *address, mayLose bool) (*cluster, error) {
	opts, err := a.server(a.hosts[0])
	if err != nil {
		return nil, err
	}
	c := &cluster{
		address: a, names: opts.TLSConfig != nil, soon: make(chan struct{}, 1), nodes: map[string]*node{},
		histories: map[string]string{},
	}
	c.quorum = newQuorum(a.server, mayLose, c.majority)
	c.asking.Go(c.ask) // Close ends it
	return c, nil
}

// follow sets the key whose slot counts. It is called once, before the first call of primary.
func (c *cluster) follow(key string) {
	c.mu.Lock()
	c.key = key
	c.mu.Unlock()
	c.askSoon()
}

// answers returns the nodes with a fresh answer by id, how many nodes are a majority, and all nodes
// that any of these answers names.
//
// REQUIRES: c.mu is held.
func (c *cluster) answers() (by map[string]*node, need int, all map[string]peer) {
	by, all = map[string]*node{}, map[string]peer{}
	for _, n := range c.nodes {
		if !n.fresh() {
			continue
		}
		if other := by[n.self.node]; other == nil || other.asked.Before(n.asked) {
			by[n.self.node] = n
		}
		for id, p := range n.known {
			all[id] = peer{cmp.Or(all[id].address, p.address), cmp.Or(all[id].alias, p.alias), all[id].master ||
				p.master}
		}
	}
	return by, len(all)/2 + 1, all
}

// unsettled is the error while it is not certain which node has the log. A later attempt may
// succeed.
type unsettled struct{ error }

// majority returns the node that has the slot.
//
// REQUIRES: c.mu is held.
func (c *cluster) majority() (promotion, error) {
	if c.found != (promotion{}) && age(c.oldest) < trust {
		return c.found, nil
	}
	by, need, all := c.answers()
	votes, most := map[string]int{}, ""
	for _, n := range by {
		if n.slot >= 0 && n.owner != "" {
			votes[n.owner]++
			if votes[n.owner] > votes[most] {
				most = n.owner
			}
		}
	}
	if owner := by[most]; votes[most] >= need && owner != nil && owner.master && owner.owner == most {
		c.found, c.oldest = promotion{address: owner.address, home: owner.self}, owner.asked
		for _, n := range by {
			if n.owner == most && n.asked.Before(c.oldest) {
				c.oldest = n.asked
			}
		}
		return c.found, nil
	}
	return promotion{}, unsettled{fmt.Errorf(
		"cluster of redis: %d of %d nodes agree on the owner of the log's slot, must be %d at least with itself (%s)",
		votes[most], len(all), need, c.said(),
	)}
}

// allAnswer returns an error unless more than half of the nodes have answered and all others have
// failed to: the histories of all masters to which the slot may move must be known.
func (c *cluster) allAnswer() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		if mistake := (*xxladapter.Error)(nil); errors.As(n.err, &mistake) {
			return mistake
		}
	}
	by, need, all := c.answers()
	if len(by) < need {
		return fmt.Errorf(
			"cluster of redis: %d of %d nodes answer, must be %d at least (%s)", len(by), len(all), need, c.said(),
		)
	}
	for id, p := range all {
		if n := c.nodes[p.address]; by[id] == nil && p.address != "" && (n == nil || n.err == nil) {
			return fmt.Errorf("cluster of redis: %s has not answered yet", p.address)
		}
	}
	return nil
}

// check refuses a cluster if any master has wrong settings, because the slot may move there. A
// master that does not answer is checked when it is used.
func (c *cluster) check(ctx context.Context) error {
	c.mu.Lock()
	_, _, all := c.answers()
	c.mu.Unlock()
	for _, p := range all {
		if !p.master || p.address == "" {
			continue
		}
		if err := c.checkNode(ctx, p.address); err != nil {
			return fmt.Errorf("node %s: %w", p.address, err)
		}
	}
	return nil
}

func (c *cluster) checkNode(ctx context.Context, at string) error {
	opts, err := c.options(at)
	if err != nil {
		return err
	}
	client := newClient(opts)
	defer client.Close() // its error would change nothing
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	err = check(ctx, client, c.mayLose)
	if mistake := (*xxladapter.Error)(nil); !errors.As(err, &mistake) {
		return nil
	}
	return err
}

// importer returns a client of the node to which the owner redirects with ASK. The client is valid
// as long as the owner's, and at most until the owner redirects to another node.
func (c *cluster) importer(owner *client, at string) (*client, error) {
	host, port, err := net.SplitHostPort(at)
	if err != nil {
		return nil, fmt.Errorf("redis redirects to %q, must be a host and a port", at)
	}
	at = net.JoinHostPort(hostOr(host, owner.named.address), port)
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _, all := c.answers()
	n := c.nodes[at]
	for _, p := range all {
		if p.alias == at {
			n = c.nodes[p.address] // a redirection may have the node's name instead of its address
		}
	}
	if n == nil || !n.fresh() {
		return nil, unsettled{fmt.Errorf("redis redirects to %s, which does not answer", at)}
	}
	to := promotion{address: n.address, home: n.self}
	if i := c.importing; i != nil && i.owner == owner && i.named == to {
		return i, nil
	}
	i, err := c.client(to)
	if err != nil {
		return nil, err
	}
	i.owner = owner
	former := c.importing
	c.importing = i
	if former != nil {
		_ = former.Close() // its calls fail, as those of a former primary do
	}
	return i, nil
}

// Close implements [target].
func (c *cluster) Close() error {
	err := c.quorum.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.importing != nil {
		err = errors.Join(err, c.importing.Close())
	}
	return err
}
