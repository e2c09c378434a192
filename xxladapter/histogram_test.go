package xxladapter

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestBucketsFollowEachOther walks all buckets: each begins where the one before ends, and is at
// most a sixteenth of its values wide.
func TestBucketsFollowEachOther(t *testing.T) {
	lowest := int64(0)
	for bucket := range buckets {
		highest := highestOf(bucket)
		require.Equal(t, bucket, bucketOf(lowest))
		require.Equal(t, bucket, bucketOf(highest))
		require.LessOrEqual(t, (highest-lowest)*16, lowest)
		lowest = highest + 1
	}
	require.Equal(t, int64(maxHistogramMs+1), lowest)
	require.Equal(t, buckets-1, bucketOf(math.MaxInt64))
	require.Zero(t, bucketOf(-1))
}

// TestPercentilesAreAtMostASixteenthTooHigh compares with sorted values, also of merged and stored
// histograms.
func TestPercentilesAreAtMostASixteenthTooHigh(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var h, half Histogram
	require.Zero(t, h.Percentile(99))
	var values []time.Duration
	for range 1000 {
		d := time.Duration(math.Exp(random.Float64()*math.Log(1e9))) * time.Millisecond
		values = append(values, d)
		half.Add(d)
		if random.IntN(10) == 0 {
			stored, err := HistogramOf(half.Bytes())
			require.NoError(t, err)
			require.Equal(t, half, stored)
			h.Merge(stored)
			half = Histogram{}
		}
	}
	h.Merge(half)
	slices.Sort(values)
	require.EqualValues(t, len(values), h.Count())
	for percent := 1; percent <= 100; percent++ {
		exact := values[(len(values)*percent+99)/100-1]
		require.GreaterOrEqual(t, h.Percentile(percent), exact)
		require.LessOrEqual(t, h.Percentile(percent), exact+exact/16)
	}
}

// TestDamagedHistogramsAreErrors reads bytes that Bytes does not return.
func TestDamagedHistogramsAreErrors(t *testing.T) {
	for _, b := range [][]byte{{1}, {0x80}, {1, 0}, {0xff, 0xff, 0x7f, 1}, {1, 2, 3}, {1, 2, 0, 2}} {
		_, err := HistogramOf(b)
		require.Error(t, err, "%v", b)
	}
	empty, err := HistogramOf(nil)
	require.NoError(t, err)
	require.Equal(t, Histogram{}, empty)
	require.NotNil(t, empty.Bytes(), "a column that is NULL")
}

func FuzzHistogram(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := HistogramOf(b)
		if err != nil {
			return
		}
		again, err := HistogramOf(h.Bytes())
		require.NoError(t, err)
		require.Equal(t, h, again)
	})
}
