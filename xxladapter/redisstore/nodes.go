package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A node is one of the addresses that are asked.
type node struct {
	view
	address string
	client  *redis.Client
	busy    bool      // a question is on its way
	asked   time.Time // just before the question that view answers; zero means no answer
	slot    int64     // that the answer is about; -1 means none
	err     error     // of the last question
}

// askSoon has the nodes asked now: something has moved.
func (c *cluster) askSoon() {
	select {
	case c.soon <- struct{}{}:
	default:
	}
}

// ask asks all nodes until Close.
func (c *cluster) ask() {
	var questions sync.WaitGroup
	for c.ctx.Err() == nil {
		for _, n := range c.idle() {
			questions.Go(func() { c.question(n) })
		}
		select {
		case <-c.ctx.Done():
		case <-c.soon:
		case <-time.After(askPause):
		}
	}
	questions.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, n := range c.nodes {
		_ = n.client.Close() // nobody waits for what it says
	}
}

// idle returns the nodes that are to be asked and marks them as busy. The hosts of the URL are
// asked only while fewer than a majority of the nodes in the answers have a fresh answer of their
// own. All other nodes are forgotten.
func (c *cluster) idle() (ready []*node) {
	c.mu.Lock()
	defer c.mu.Unlock()
	answers, need, all := c.answers()
	wanted := map[string]bool{}
	named := 0
	for _, p := range all {
		if p.address == "" {
			continue
		}
		wanted[p.address] = true
		if n := c.nodes[p.address]; n != nil && n.fresh() {
			named++
		}
	}
	if named < need || len(answers) == 0 {
		for _, host := range c.address.hosts {
			wanted[host] = true
		}
	}
	for at := range wanted {
		n := c.nodes[at]
		if n == nil {
			opts, err := c.options(at)
			if err != nil {
				continue // the URL was checked, so the address that a node names is wrong
			}
			opts.MaxRetries, opts.ContextTimeoutEnabled, opts.PoolSize = -1, true, 1
			opts.DialerRetries = 1 // a node is asked again anyway, and its refusal must not get lost in a time-out
			n = &node{address: at, client: redis.NewClient(opts)}
			c.nodes[at] = n
		}
		if !n.busy {
			n.busy = true
			ready = append(ready, n)
		}
	}
	for at, n := range c.nodes {
		if !wanted[at] && !n.busy {
			_ = n.client.Close()
			delete(c.nodes, at)
		}
	}
	return ready
}

// question asks one node.
func (c *cluster) question(n *node) {
	c.mu.Lock()
	key := c.key
	c.mu.Unlock()
	asked := time.Now()
	v, slot, err := c.viewOf(n.client, n.address, key)
	c.note(func() {
		n.busy, c.found = false, promotion{}
		if n.err = err; err == nil {
			n.view, n.slot, n.asked = v, slot, asked
			c.learn(v)
		}
	})
}

// learn notes the history of a master, or that a node is not a master.
//
// REQUIRES: c.mu is held.
func (c *cluster) learn(v view) {
	history := ""
	if v.master {
		history = v.self.history
	}
	if c.histories[v.self.node] == history {
		return
	}
	c.histories[v.self.node] = history
	c.version.Add(1)
}

// masters returns the fields m:NODE of a head, each with its history: one for each master except
// the one that has the head. version is that of all histories.
func (c *cluster) masters(except string) (fields []any, version int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for node, history := range c.histories {
		if node != except && history != "" {
			fields = append(fields, "m:"+node, history)
		}
	}
	return fields, c.version.Load()
}

// viewOf returns what a node says, and the slot of a key.
func (c *cluster) viewOf(client *redis.Client, at, key string) (view, int64, error) {
	ctx, cancel := context.WithTimeout(c.ctx, askLimit)
	defer cancel()
	pipe := client.Pipeline()
	nodes, replication, slot := pipe.ClusterNodes(ctx), pipe.Info(ctx, "replication"),
		redis.NewIntCmd(ctx, "cluster", "keyslot", key)
	if key != "" {
		_ = pipe.Process(ctx, slot)
	} else {
		slot.SetVal(-1)
	}
	if _, err := pipe.Exec(ctx); err != nil {
		if strings.Contains(err.Error(), "cluster support disabled") {
			err = xxladapter.Invalidf(errorrule.RedisCluster,
				"%s at %s has cluster-enabled no, must have yes, or redis:// without +cluster",
				"redis", at)
		}
		return view{}, -1, err
	}
	v, err := readView(nodes.Val(), replication.Val(), at, slot.Val(), c.names)
	return v, slot.Val(), err
}

// fresh reports whether the last answer is believed.
func (n *node) fresh() bool { return !n.asked.IsZero() && age(n.asked) < trust }

// said describes the last answers of all nodes.
//
// REQUIRES: c.mu is held.
func (c *cluster) said() string {
	var said []string
	for _, at := range slices.Sorted(maps.Keys(c.nodes)) {
		switch n := c.nodes[at]; {
		case n.err != nil:
			said = append(said, at+": "+oneLine{n.err}.Error())
		case n.asked.IsZero():
			said = append(said, at+" has not answered")
		case n.slot < 0:
		case n.owner == "":
			said = append(said, fmt.Sprintf("%s has no owner of slot %d", at, n.slot))
		default:
			said = append(said, at+" names "+cmp.Or(n.known[n.owner].address, n.owner))
		}
	}
	return strings.Join(said, "; ")
}
