package xxladapter

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/bits"
	"slices"
	"time"
)

// A Histogram counts durations in whole milliseconds. Up to 31 ms each value has a bucket of its
// own; above that, the width of a bucket is at most a sixteenth of its lowest value. Its zero value
// is empty and ready to use. Copies of one that is not empty share its counts.
type Histogram struct {
	counts map[int]int64 // by bucket, without zeros
}

const (
	exactBuckets = 32
	// subBuckets is the number of buckets from one power of two to the next.
	subBuckets = exactBuckets / 2
	// maxHistogramMs is the longest duration that can be counted, 34 years; longer ones count as
	// this one.
	maxHistogramMs = 1<<40 - 1
	buckets        = 592
)

// bucketOf returns the bucket of a number of milliseconds.
func bucketOf(ms int64) int {
	v := uint64(min(max(ms, 0), maxHistogramMs))
	if v < exactBuckets {
		return int(v)
	}
	e := bits.Len64(v) - bits.Len(subBuckets)
	return subBuckets*e + int(v>>e)
}

// highestOf returns the highest number of milliseconds in a bucket.
func highestOf(bucket int) int64 {
	if bucket < exactBuckets {
		return int64(bucket)
	}
	e := bucket/subBuckets - 1
	return int64(bucket%subBuckets+subBuckets+1)<<e - 1
}

// Add counts a duration. A negative one counts as zero.
func (h *Histogram) Add(d time.Duration) {
	if h.counts == nil {
		h.counts = map[int]int64{}
	}
	h.counts[bucketOf(d.Milliseconds())]++
}

// Merge adds the counts of other.
func (h *Histogram) Merge(other Histogram) {
	if h.counts == nil && len(other.counts) > 0 {
		h.counts = make(map[int]int64, len(other.counts))
	}
	for bucket, n := range other.counts {
		h.counts[bucket] += n
	}
}

// Count returns how many durations were counted.
func (h Histogram) Count() (n int64) {
	for _, c := range h.counts {
		n += c
	}
	return n
}

// Percentile returns a duration that at least percent % of the counted durations do not exceed: the
// highest one of the bucket that holds the exact percentile, which is at most a sixteenth lower.
// The result is 0 if nothing was counted.
//
// REQUIRES: percent is 1 to 100.
func (h Histogram) Percentile(percent int) time.Duration {
	rank := (h.Count()*int64(percent) + 99) / 100
	for _, bucket := range slices.Sorted(maps.Keys(h.counts)) {
		if rank -= h.counts[bucket]; rank <= 0 {
			return time.Duration(highestOf(bucket)) * time.Millisecond
		}
	}
	return 0
}

// Bytes returns the histogram in the form that [HistogramOf] reads: for each bucket the distance
// from the one before and the count, as varints. It is empty, and not nil, for an empty
// histogram.
func (h Histogram) Bytes() []byte {
	b := []byte{}
	last := 0
	for _, bucket := range slices.Sorted(maps.Keys(h.counts)) {
		b = binary.AppendUvarint(b, uint64(bucket-last))
		b = binary.AppendUvarint(b, uint64(h.counts[bucket]))
		last = bucket
	}
	return b
}

var errHistogram = errors.New("histogram is damaged, must be pairs of varints")

// HistogramOf reads the form that [Histogram.Bytes] returns. Damaged bytes are an error.
func HistogramOf(b []byte) (h Histogram, err error) {
	bucket := uint64(0)
	for len(b) > 0 {
		step, n := binary.Uvarint(b)
		if n <= 0 || step >= buckets {
			return Histogram{}, errHistogram
		}
		count, m := binary.Uvarint(b[n:])
		bucket += step
		if m <= 0 || bucket >= buckets || count == 0 || count > 1<<62 || step == 0 && len(h.counts) > 0 {
			return Histogram{}, errHistogram
		}
		b = b[n+m:]
		if h.counts == nil {
			h.counts = map[int]int64{}
		}
		h.counts[int(bucket)] += int64(count)
	}
	return h, nil
}
