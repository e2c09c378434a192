package route

import (
	"crypto/md5"
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The lists of the vectors that XXL-JOB 2.4.2 (ExecutorRouteConsistentHash.java) computed.
var (
	listA = []string{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/"}
	listB = []string{"http://10.0.0.1:9999/", "http://10.0.0.2:9999/", "http://10.0.0.3:9999/", "http://10.0.0.4:9999/"}
	listC = []string{"http://192.168.1.10:9999", "http://192.168.1.11:9999"}
	listD = []string{
		"http://exec-0.svc:9999/", "http://exec-1.svc:9999/", "http://exec-2.svc:9999/",
		"http://exec-3.svc:9999/", "http://exec-4.svc:9999/",
	}
)

func TestConsistentHashVectors(t *testing.T) {
	f, err := os.Open("testdata/consistent_hash_vectors.csv")
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"addresses", "job_id", "chosen"}, rows[0])
	require.Len(t, rows[1:], 95)

	r := New(nil)
	for _, row := range rows[1:] {
		addrs := strings.Split(row[0], " ")
		jobID, err := strconv.ParseInt(row[1], 10, 64)
		require.NoError(t, err)
		got, err := r.Choose(t.Context(), xxladapter.RouteConsistentHash, jobID, addrs)
		require.NoError(t, err)
		require.Equal(t, row[2], got, "job %d of %s", jobID, row[0])
	}
}

func TestConsistentHashTable(t *testing.T) {
	r := New(nil)
	for _, test := range []struct {
		jobID      int64
		key        uint32
		a, b, c, d int // counted from 1
	}{
		{1, 943901380, 3, 3, 2, 3},
		{2, 2373066440, 3, 4, 1, 5},
		{3, 2127088620, 1, 1, 1, 3},
		{4, 2046197672, 3, 3, 1, 2},
		{5, 2134629092, 1, 1, 1, 3},
		{6, 470382870, 3, 3, 1, 1},
		{7, 1608782991, 2, 4, 1, 5},
		{8, 2516119753, 2, 2, 1, 5},
		{9, 3465331781, 1, 1, 1, 2},
		{10, 1749342675, 1, 1, 2, 1},
		{42, 3905343649, 2, 2, 1, 5},
		{100, 2635307512, 3, 3, 1, 5},
		{1000, 1891284905, 3, 4, 2, 1},
		{12345, 248216706, 2, 2, 1, 3},
		{99999, 2459626451, 3, 3, 2, 1},
		{2147483647, 2764081349, 2, 2, 1, 2},

		// Beyond the last point of every ring.
		{769, 4290808872, 1, 4, 1, 1},
		{1800, 4293499635, 1, 4, 1, 1},
	} {
		require.Equal(t, test.key, hash32([]byte(strconv.FormatInt(test.jobID, 10))))
		for _, list := range []struct {
			addrs []string
			want  int
		}{{listA, test.a}, {listB, test.b}, {listC, test.c}, {listD, test.d}} {
			require.Equal(t, list.addrs[list.want-1], r.consistentHash(test.jobID, list.addrs), "job %d", test.jobID)
		}
	}
}

func TestConsistentHashPoints(t *testing.T) {
	require.EqualValues(t, 943901380, hash32([]byte("1")))
	require.EqualValues(t, uint32(3725898238), hash32([]byte("SHARD-http://10.0.0.1:9999/-NODE-0")))
	require.EqualValues(t, uint32(3914784427), hash32([]byte("SHARD-http://10.0.0.1:9999/-NODE-99")))

	points := newRing(listA).points
	require.Len(t, points, 300)
	require.Equal(t, []point{makePoint(22099962, 0), makePoint(25678898, 0), makePoint(40674769, 0)}, points[:3])
	require.Equal(t, makePoint(4285551607, 1), points[299])
}

func TestConsistentHashDistribution(t *testing.T) {
	distribution := func(addrs []string) []int {
		counts := make([]int, len(addrs))
		ring := newRing(addrs)
		for jobID := int64(1); jobID <= 1000; jobID++ {
			counts[slices.Index(addrs, ring.locate(jobID))]++
		}
		return counts
	}
	require.Equal(t, []int{301, 334, 365}, distribution(listA))
	require.Equal(t, []int{221, 231, 285, 263}, distribution(listB))
	require.Equal(t, []int{533, 467}, distribution(listC))
	require.Equal(t, []int{213, 179, 199, 205, 204}, distribution(listD))
}

// TestConsistentHashMoves checks that a new address takes over jobs, and that no job moves between
// the others.
func TestConsistentHashMoves(t *testing.T) {
	a, b := newRing(listA), newRing(listB)
	moved := 0
	for jobID := int64(1); jobID <= 1000; jobID++ {
		if from, to := a.locate(jobID), b.locate(jobID); from != to {
			moved++
			require.Equal(t, listB[3], to)
		}
	}
	require.Equal(t, 263, moved)
}

// linearSearch is CONSISTENT_HASH as a scan of all points.
func linearSearch(addrs []string, jobID int64) string {
	hash := func(text string) uint32 {
		d := md5.Sum([]byte(text))
		return uint32(d[0]) + uint32(d[1])<<8 + uint32(d[2])<<16 + uint32(d[3])<<24
	}
	owner := map[uint32]string{}
	for _, addr := range addrs {
		for i := range 100 {
			owner[hash(fmt.Sprintf("SHARD-%s-NODE-%d", addr, i))] = addr
		}
	}
	key := hash(fmt.Sprint(jobID))
	var least, next uint32
	var any, found bool
	for p := range owner {
		if !any || p < least {
			least, any = p, true
		}
		if p >= key && (!found || p < next) {
			next, found = p, true
		}
	}
	if found {
		return owner[next]
	}
	return owner[least]
}

func TestConsistentHashAgainstLinearSearch(t *testing.T) {
	r := New(nil)
	r.rings.max = 12
	rapid.Check(t, func(t *rapid.T) {
		addrs := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom(listB),
			rapid.StringMatching(`http://10\.0\.[0-9]\.[0-9]:9999/?`),
			rapid.String(),
		), 1, 8).Draw(t, "addrs")
		for _, jobID := range rapid.SliceOfN(rapid.OneOf(rapid.Int64(), rapid.Int64Range(1, 5000)), 1, 5).Draw(t, "jobs") {
			want := linearSearch(addrs, jobID)
			for range 2 {
				if got := r.consistentHash(jobID, addrs); got != want {
					t.Fatalf("job %d: %q, want %q", jobID, got, want)
				}
			}
		}
	})
}

// Points at the same place are rare, so this test draws from only a few places.
func TestSettleAndSuccessorAgainstLinearSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		place := rapid.OneOf(rapid.Uint32Range(0, 9), rapid.Uint32Range(1<<32-5, 1<<32-1))
		places := rapid.SliceOfN(place, 1, 12).Draw(t, "places")
		key := place.Draw(t, "key")

		points := make([]point, len(places))
		want, least := -1, 0
		for i, p := range places {
			points[i] = makePoint(p, i)
			if p >= key && (want < 0 || p <= places[want]) {
				want = i
			}
			if p <= places[least] {
				least = i
			}
		}
		if want < 0 {
			want = least
		}
		if got := successor(settle(points), key); got != makePoint(places[want], want) {
			t.Fatalf("place %d of address %d, want %d of %d", got.place(), got.index(), places[want], want)
		}
	})
}

// TestConsistentHashSamePlace has two addresses: point 36 of one and point 17 of the other have the
// same place. The place belongs to the address that is later in the list, since upstream's sorted
// map overwrites (XXL-JOB 2.4.2, ExecutorRouteConsistentHash.java).
func TestConsistentHashSamePlace(t *testing.T) {
	const place = uint32(2156430898)
	addrs := []string{"http://exec-153.svc:9999/", "http://exec-412.svc:9999/"}
	require.EqualValues(t, place, hash32([]byte("SHARD-"+addrs[0]+"-NODE-36")))
	require.EqualValues(t, place, hash32([]byte("SHARD-"+addrs[1]+"-NODE-17")))

	jobID := int64(1)
	for successor(newRing(addrs).points, hash32([]byte(strconv.FormatInt(jobID, 10)))).place() != place {
		jobID++
	}
	for range 2 {
		ring := newRing(addrs)
		require.Len(t, ring.points, 199)
		require.Equal(t, addrs[1], ring.locate(jobID))
		require.Equal(t, addrs[1], linearSearch(addrs, jobID))
		slices.Reverse(addrs)
	}
}

func TestRingCacheHit(t *testing.T) {
	c := newRingCache()
	addrs := slices.Clone(listA)
	ring := c.ring(addrs)
	clear(addrs)
	require.Same(t, ring, c.ring(listA), "the ring followed a change of the caller's memory")
	require.Equal(t, len(listA), c.addrs)

	require.Zero(t, testing.AllocsPerRun(100, func() { c.ring(listA).locate(12345) }))
}

func TestRingCacheListChange(t *testing.T) {
	c := newRingCache()
	addrs := slices.Clone(listB)
	for _, change := range []func(){
		func() {},
		func() { addrs = addrs[:3] },
		func() { addrs[0], addrs[2] = addrs[2], addrs[0] },
		func() { addrs[1] = "http://10.0.0.9:9999/" },
		func() { addrs = []string{addrs[0] + addrs[1], addrs[2]} },
		func() { addrs = append(addrs, addrs[0]) },
	} {
		change()
		r := c.ring(addrs)
		require.Equal(t, addrs, r.addrs)
		require.Equal(t, newRing(addrs).points, r.points)
	}
	require.Len(t, c.rings, 6)
}

// TestRingCacheSameFingerprint checks that two lists with the same fingerprint take turns in one
// entry.
func TestRingCacheSameFingerprint(t *testing.T) {
	c := newRingCache()
	c.add(c.fingerprint(listA), newRing(listD))
	for range 2 {
		require.Equal(t, listA, c.ring(listA).addrs)
		require.Len(t, c.rings, 1)
		require.Equal(t, len(listA), c.addrs)
	}
}

func TestRingCacheBound(t *testing.T) {
	c := newRingCache()
	c.max = 10
	a, b, d := c.ring(listA), c.ring(listB), c.ring(listC)
	require.Equal(t, 9, c.addrs)

	// The least recently used ring is evicted, and no more than necessary.
	require.Same(t, a, c.ring(listA))
	c.ring([]string{"http://x/", "http://y/"})
	require.Equal(t, 7, c.addrs)
	require.Same(t, a, c.ring(listA))
	require.Same(t, d, c.ring(listC))
	require.NotSame(t, b, c.ring(listB))

	// Too large to cache: the others stay.
	before := c.addrs
	var large []string
	for i := range 11 {
		large = append(large, fmt.Sprintf("http://10.1.0.%d:9999/", i))
	}
	require.Equal(t, linearSearch(large, 7), c.ring(large).locate(7))
	require.Equal(t, before, c.addrs)

	// Just small enough: it is the only one.
	c.ring(large[:10])
	require.Len(t, c.rings, 1)
	require.Equal(t, 10, c.addrs)
}

func BenchmarkConsistentHash(b *testing.B) {
	for _, n := range []int{3, 10, 100, 1000} {
		addrs := make([]string, n)
		for i := range addrs {
			addrs[i] = fmt.Sprintf("http://10.0.%d.%d:9999/", i/250, i%250)
		}
		b.Run(fmt.Sprintf("cached/addrs=%d", n), func(b *testing.B) {
			c := newRingCache()
			b.ReportAllocs()
			for jobID := int64(0); b.Loop(); jobID++ {
				c.ring(addrs).locate(jobID)
			}
		})
		b.Run(fmt.Sprintf("rebuilt/addrs=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for jobID := int64(0); b.Loop(); jobID++ {
				newRing(addrs).locate(jobID)
			}
		})
	}
}
