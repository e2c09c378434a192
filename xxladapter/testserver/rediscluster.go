//go:build unix

package testserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// clusterTimeout is the time in ms after which a node of a RedisCluster is suspected. A replica is
// promoted a second or two after that.
const clusterTimeout = 1000

// slots is the number of slots of a cluster.
const slots = 16384

// A RedisCluster is a Redis Cluster of three masters, which may each have a replica.
type RedisCluster struct {
	Masters []*Server
	// Replicas has the replica of each master at its place; it is empty if they have none.
	Replicas []*Server
	members  map[*Server]member
}

// A member is a node as the test reaches it.
type member struct {
	client *redis.Client
	id     string
}

// StartRedisCluster starts a cluster that ends with the test, with a third of the slots on each
// master. settings are as those of [StartRedis], for all nodes.
func StartRedisCluster(t testing.TB, replicas bool, settings ...string) *RedisCluster {
	t.Helper()
	c := &RedisCluster{}
	for range 3 {
		c.Masters = append(c.Masters, startClusterNode(t, settings))
	}
	if replicas {
		for range 3 {
			c.Replicas = append(c.Replicas, startClusterNode(t, settings))
		}
	}
	ctx := t.Context()
	first := c.Masters[0]
	c.members = map[*Server]member{}
	for i, s := range c.nodes() {
		client := redisClient(t, s.port)
		id, err := client.ClusterMyID(ctx).Result()
		must(t, err)
		c.members[s] = member{client, id}
		must(t, client.Do(ctx, "cluster", "set-config-epoch", i+1).Err())
		if i < 3 {
			must(t, client.ClusterAddSlotsRange(ctx, i*slots/3, (i+1)*slots/3-1).Err())
		}
		if i > 0 {
			bus, err := first.portOf(busPort)
			must(t, err)
			must(t, client.Do(ctx, "cluster", "meet", "127.0.0.1", first.port, bus).Err())
		}
	}
	waitFor(t, "the nodes know each other", func(ctx context.Context) bool { return c.agree(ctx, t) })
	for i, s := range c.Replicas {
		must(t, c.members[s].client.ClusterReplicate(ctx, c.members[c.Masters[i]].id).Err())
	}
	c.WaitReady(t)
	return c
}

// startClusterNode starts a node that knows no other.
func startClusterNode(t testing.TB, settings []string) *Server {
	t.Helper()
	own := []string{"cluster-enabled yes", "cluster-node-timeout " + strconv.Itoa(clusterTimeout)}
	ports := []string{busPort}
	if slices.Contains(settings, "tls-cluster yes") {
		ports = append(ports, tlsPort)
	}
	for _, name := range ports {
		port, err := freePort()
		must(t, err)
		own = append(own, name+strconv.Itoa(port))
	}
	return StartRedis(t, append(own, settings...)...)
}

// The settings of a node that are ports, which are its own.
const (
	busPort = "cluster-port "
	tlsPort = "tls-port "
)

// portOf returns the value of a setting that is a port.
func (s *Server) portOf(setting string) (port int, err error) {
	for _, one := range s.settings {
		if text, is := strings.CutPrefix(one, setting); is {
			return strconv.Atoi(text)
		}
	}
	return 0, errors.New("the node has no " + setting)
}

// nodes returns masters and replicas.
func (c *RedisCluster) nodes() []*Server { return slices.Concat(c.Masters, c.Replicas) }

// agree reports whether each node knows all others, and an owner of each slot.
func (c *RedisCluster) agree(ctx context.Context, t testing.TB) bool {
	for _, s := range c.nodes() {
		said, err := c.members[s].client.ClusterInfo(ctx).Result()
		if err != nil || !strings.Contains(said, "cluster_state:ok") ||
			!strings.Contains(said, fmt.Sprintf("cluster_known_nodes:%d\r", len(c.nodes()))) {
			return false
		}
	}
	return true
}

// URL returns the URL of the cluster by two of its nodes.
func (c *RedisCluster) URL() string {
	return fmt.Sprintf("redis+cluster://127.0.0.1:%d,127.0.0.1:%d", c.Masters[0].port, c.Masters[1].port)
}

// URLWithTLS returns what URL does, for connections with TLS to nodes whose settings have
// tls-cluster yes.
func (c *RedisCluster) URLWithTLS(t testing.TB) string {
	t.Helper()
	port, err := c.Masters[0].portOf(tlsPort)
	must(t, err)
	return fmt.Sprintf("rediss+cluster://127.0.0.1:%d?skip_verify=true", port)
}

// WaitReady waits until a promotion can happen: all nodes agree, and the replicas follow.
func (c *RedisCluster) WaitReady(t testing.TB) {
	t.Helper()
	waitFor(t, "the cluster is ready", func(ctx context.Context) bool {
		following := 0
		for _, s := range c.nodes() {
			said, err := c.members[s].client.Info(ctx, "replication").Result()
			if err == nil && strings.Contains(said, "master_link_status:up") {
				following++
			}
		}
		return following == len(c.Replicas) && c.agree(ctx, t)
	})
}

// Owner returns the node that has a slot, according to the first node that answers.
func (c *RedisCluster) Owner(t testing.TB, slot int) *Server {
	t.Helper()
	owner, err := c.owner(t.Context(), slot, nil)
	must(t, err)
	return owner
}

// owner returns the node that has a slot, according to the first running node that knows it. The
// node except is not asked; nil excludes none.
func (c *RedisCluster) owner(ctx context.Context, slot int, except *Server) (*Server, error) {
	var err error
	for _, s := range c.nodes() {
		if s == except || s.process == nil {
			continue
		}
		var owner *Server
		if owner, err = c.ownerBy(ctx, s, slot); err == nil {
			return owner, nil
		}
	}
	return nil, err
}

// ownerBy returns the node that has a slot, as one node says.
func (c *RedisCluster) ownerBy(ctx context.Context, by *Server, slot int) (*Server, error) {
	found, err := c.members[by].client.ClusterSlots(ctx).Result() //nolint:staticcheck // Redis 6 has no CLUSTER SHARDS
	for _, part := range found {
		if part.Start <= slot && slot <= part.End {
			return c.at(part.Nodes[0].Addr)
		}
	}
	return nil, cmp.Or(err, fmt.Errorf("slot %d has no node", slot))
}

// Other returns another master than the owner: the next one in the order of Masters and Replicas.
func (c *RedisCluster) Other(t testing.TB, owner *Server) *Server {
	t.Helper()
	nodes := c.nodes()
	i := slices.Index(nodes, owner)
	for _, s := range append(nodes[i+1:], nodes[:i]...) {
		said, err := c.members[s].client.Info(t.Context(), "replication").Result()
		if err == nil && strings.Contains(said, "role:master") {
			return s
		}
	}
	t.Fatal("the cluster has no other master")
	return nil
}

// at returns the node at an address.
func (c *RedisCluster) at(address string) (*Server, error) {
	for _, s := range c.nodes() {
		if strings.HasSuffix(address, ":"+strconv.Itoa(s.port)) {
			return s, nil
		}
	}
	return nil, fmt.Errorf("%s is no node of the test", address)
}

// WaitPromoted waits until another node than a former one has a slot.
func (c *RedisCluster) WaitPromoted(t testing.TB, former *Server, slot int) (promoted *Server) {
	t.Helper()
	waitFor(t, "the replica is promoted", func(ctx context.Context) bool {
		var err error
		promoted, err = c.owner(ctx, slot, former)
		return err == nil && promoted != former
	})
	return promoted
}

// OpenSlot begins to migrate a slot from its owner, which keeps it and its keys. Any goroutine may
// call it, as well as MoveKeys, CloseSlot and Move.
func (c *RedisCluster) OpenSlot(ctx context.Context, slot int, from, to *Server) error {
	source, target := c.members[from], c.members[to]
	return errors.Join(
		target.client.Do(ctx, "cluster", "setslot", slot, "importing", source.id).Err(),
		source.client.Do(ctx, "cluster", "setslot", slot, "migrating", target.id).Err())
}

// MoveKeys migrates those keys of an open slot that end with a suffix; an empty one means all.
func (c *RedisCluster) MoveKeys(ctx context.Context, slot int, from, to *Server, suffix string) error {
	keys, err := c.members[from].client.ClusterGetKeysInSlot(ctx, slot, 1000).Result()
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !strings.HasSuffix(key, suffix) {
			continue
		}
		if err := c.members[from].client.Migrate(
			ctx, "127.0.0.1", strconv.Itoa(to.port), key, 0, 5*time.Second,
		).Err(); err != nil {
			return err
		}
	}
	return nil
}

// CloseSlot gives an open slot to the node that has all of its keys. It tells all masters, and
// returns when all nodes know it. If the slot moved on before that, the next node could take an
// epoch that is not above all others, and nodes would disagree for good.
func (c *RedisCluster) CloseSlot(ctx context.Context, slot int, to *Server) error {
	for _, s := range append([]*Server{to}, c.nodes()...) {
		err := c.members[s].client.Do(ctx, "cluster", "setslot", slot, "node", c.members[to].id).Err()
		if err != nil && !strings.Contains(err.Error(), "only with masters") { // s is a replica then
			return err
		}
	}
	for _, s := range c.nodes() {
		var err error
		if !Within(startWithin, func() bool {
			var agreed bool
			agreed, err = c.knowsOwner(ctx, slot, to, s)
			return agreed
		}) {
			return errors.Join(fmt.Errorf("slot %d: the nodes do not agree within %v", slot, startWithin), err)
		}
	}
	return nil
}

// knowsOwner reports whether a node knows the owner of a slot and that one's config epoch. The
// owner takes another epoch if it has the same as another master.
func (c *RedisCluster) knowsOwner(ctx context.Context, slot int, owner, by *Server) (bool, error) {
	own, err := c.epoch(ctx, owner, owner)
	if err != nil {
		return false, err
	}
	known, err := c.epoch(ctx, by, owner)
	if err != nil || known != own {
		return false, err
	}
	said, err := c.ownerBy(ctx, by, slot)
	return said == owner, err
}

// epoch returns the config epoch of a node as another one knows it.
func (c *RedisCluster) epoch(ctx context.Context, by, of *Server) (string, error) {
	said, err := c.members[by].client.ClusterNodes(ctx).Result()
	for line := range strings.Lines(said) {
		if fields := strings.Fields(line); len(fields) > 6 && fields[0] == c.members[of].id {
			return fields[6], nil
		}
	}
	return "", cmp.Or(err, fmt.Errorf("a node does not know node %s", c.members[of].id))
}

// Move migrates a slot with its keys.
func (c *RedisCluster) Move(ctx context.Context, slot int, from, to *Server) error {
	if err := c.OpenSlot(ctx, slot, from, to); err != nil {
		return err
	}
	for left := int64(1); left > 0; {
		err := c.MoveKeys(ctx, slot, from, to, "")
		if err == nil {
			left, err = c.members[from].client.ClusterCountKeysInSlot(ctx, slot).Result()
		}
		if err != nil {
			return err
		}
	}
	return c.CloseSlot(ctx, slot, to)
}

// Slot returns the slot of the keys of the only store in the cluster.
func (c *RedisCluster) Slot(t testing.TB) int {
	t.Helper()
	for _, s := range c.Masters {
		client := c.members[s].client
		heads, err := client.Keys(t.Context(), "*:head").Result()
		must(t, err)
		for _, head := range heads {
			slot, err := client.ClusterKeySlot(t.Context(), head).Result()
			must(t, err)
			return int(slot)
		}
	}
	t.Fatal("the cluster has no store")
	return 0
}
