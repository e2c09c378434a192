package route

import (
	"crypto/md5"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"strconv"
	"sync"
)

const (
	// pointsPerAddr is how many points an address has on the ring; upstream calls them virtual
	// nodes (XXL-JOB 2.4.2, ExecutorRouteConsistentHash.java).
	pointsPerAddr = 100

	// maxRingAddrs limits the cached rings, counted in addresses over all of them. An address takes
	// some 800 bytes.
	maxRingAddrs = 10_000
)

// consistentHash implements CONSISTENT_HASH. Upstream builds the ring for every trigger; here it is
// cached by address list.
func (r *Routes) consistentHash(jobID int64, addrs []string) string {
	return r.rings.ring(addrs).locate(jobID)
}

// hash32 returns the place of a text on the ring: the first four bytes of its MD5 digest, in
// little-endian order.
func hash32(text []byte) uint32 {
	sum := md5.Sum(text)
	return binary.LittleEndian.Uint32(sum[:4])
}

// A ring holds the points of an address list in ascending order. It is immutable.
type ring struct {
	addrs  []string
	points []point
}

// A point has its place on the ring in the upper half and the index of its address in the lower
// half, so that points sort by place and then by list order.
type point uint64

func makePoint(place uint32, index int) point { return point(place)<<32 | point(index) }

func (p point) place() uint32 { return uint32(p >> 32) }
func (p point) index() int    { return int(uint32(p)) }

// newRing hashes each address, as it is written, to its points.
func newRing(addrs []string) *ring {
	points := make([]point, 0, len(addrs)*pointsPerAddr)
	var text []byte
	for index, addr := range addrs {
		text = append(append(append(text[:0], "SHARD-"...), addr...), "-NODE-"...)
		prefix := len(text)
		for i := range pointsPerAddr {
			text = strconv.AppendInt(text[:prefix], int64(i), 10)
			points = append(points, makePoint(hash32(text), index))
		}
	}
	return &ring{addrs: slices.Clone(addrs), points: settle(points)}
}

// settle sorts the points and keeps one for each place, that of the address latest in the list:
// upstream's sorted map overwrites in list order.
func settle(points []point) []point {
	slices.Sort(points)
	kept := points[:0]
	for i, p := range points {
		if i+1 == len(points) || points[i+1].place() != p.place() {
			kept = append(kept, p)
		}
	}
	return kept
}

// locate returns the address for a job.
func (r *ring) locate(jobID int64) string {
	var buf [20]byte
	key := hash32(strconv.AppendInt(buf[:0], jobID, 10))
	return r.addrs[successor(r.points, key).index()]
}

// successor returns the first point at or after key, or the first of all points if there is none.
func successor(points []point, key uint32) point {
	i, _ := slices.BinarySearch(points, makePoint(key, 0))
	if i == len(points) {
		i = 0
	}
	return points[i]
}

// A ringCache keeps the most recently used rings. A changed address list is a different key, so a
// stale ring is never used; it is evicted when its room is needed.
type ringCache struct {
	seed maphash.Seed
	max  int // maxRingAddrs, or less in tests

	mu    sync.Mutex             // guards the fields below
	rings map[uint64]*cachedRing // by fingerprint of the list
	addrs int                    // Invariant: the number of addresses in all rings
	uses  uint64
}

type cachedRing struct {
	*ring
	used uint64 // the value of uses at the last use
}

func newRingCache() *ringCache {
	return &ringCache{seed: maphash.MakeSeed(), max: maxRingAddrs, rings: make(map[uint64]*cachedRing)}
}

// ring returns the ring of a list. A missing ring is built without holding the lock, so two callers
// may build the same one.
func (c *ringCache) ring(addrs []string) *ring {
	key := c.fingerprint(addrs)
	if r := c.lookup(key); r != nil && slices.Equal(r.addrs, addrs) {
		return r
	}
	r := newRing(addrs)
	c.add(key, r)
	return r
}

// fingerprint returns the cache key of a list. Two lists may share a key, so the caller compares
// the lists themselves.
func (c *ringCache) fingerprint(addrs []string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, addr := range addrs {
		h.WriteString(addr)
		h.WriteByte(0)
	}
	return h.Sum64()
}

func (c *ringCache) lookup(key uint64) *ring {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.rings[key]
	if r == nil {
		return nil
	}
	c.uses++
	r.used = c.uses
	return r.ring
}

// add caches r in place of the ring with the same key, and evicts the least recently used rings
// until the rest fit. A ring that is too large for the cache is not cached.
func (c *ringCache) add(key uint64, r *ring) {
	if len(r.addrs) > c.max {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.drop(key)
	for c.addrs+len(r.addrs) > c.max {
		c.drop(c.oldest())
	}
	c.uses++
	c.rings[key] = &cachedRing{ring: r, used: c.uses}
	c.addrs += len(r.addrs)
}

// drop removes the ring with the key, if there is one.
//
// REQUIRES: c.mu is held.
func (c *ringCache) drop(key uint64) {
	if r := c.rings[key]; r != nil {
		c.addrs -= len(r.addrs)
		delete(c.rings, key)
	}
}

// oldest returns the key of the least recently used ring. It scans all of them, which costs little
// compared with building the ring that needs the room.
//
// REQUIRES: c.mu is held and there is a ring.
func (c *ringCache) oldest() (key uint64) {
	var oldest *cachedRing
	for k, r := range c.rings {
		if oldest == nil || r.used < oldest.used {
			key, oldest = k, r
		}
	}
	return key
}
