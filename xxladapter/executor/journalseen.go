package executor

import "time"

// seenIDs remembers log ids. Schedulers number their runs consecutively, so ids lie close together
// and a bitmap holds them in a few bytes each: at worst 110 bytes, at best a quarter of a byte.
//
// There are two generations, so that old ids can be forgotten without storing a date for each. When
// the current generation is old or large, it becomes the previous one, and the previous one is
// dropped.
type seenIDs struct {
	current, previous map[int64]*seenBlock
	started           time.Time // of current
}

// seenBlock holds the ids from 512*k to 512*k+511.
type seenBlock struct {
	bits   [8]uint64
	latest int64 // the latest trigger time among them, in epoch milliseconds
}

const (
	seenBlockIDs  = 512
	maxSeenBlocks = 1 << 16 // of one generation: about 8 MB

	// A known log id counts as a new run if its trigger time is that much later than that of all
	// its neighbours: then the scheduler's database was recreated and its ids have started over. A
	// run that is sent again keeps its trigger time.
	seenRestart = int64(10 * time.Minute / time.Millisecond)
)

func newSeenIDs(now time.Time) seenIDs {
	return seenIDs{current: map[int64]*seenBlock{}, previous: map[int64]*seenBlock{}, started: now}
}

// place returns the key of the block, the word and the bit of an id.
func place(id int64) (key int64, word int, bit uint64) {
	key = id >> 9 // also correct for negative ids
	rest := id & (seenBlockIDs - 1)
	return key, int(rest >> 6), 1 << (rest & 63)
}

func (s *seenIDs) has(id, logTime int64) bool {
	key, word, bit := place(id)
	for _, m := range []map[int64]*seenBlock{s.current, s.previous} {
		if b := m[key]; b != nil && b.bits[word]&bit != 0 {
			return logTime <= b.latest+seenRestart
		}
	}
	return false
}

// add records an id.
//
// REQUIRES: has(id, logTime) is false.
func (s *seenIDs) add(id, logTime int64) {
	key, word, bit := place(id)
	if old := s.previous[key]; old != nil && old.bits[word]&bit != 0 {
		delete(s.previous, key) // the ids have started over
	}
	b := s.current[key]
	if b == nil || b.bits[word]&bit != 0 {
		b = &seenBlock{latest: logTime}
		s.current[key] = b
	}
	b.bits[word] |= bit
	b.latest = max(b.latest, logTime)
}

func (s *seenIDs) remove(id int64) {
	key, word, bit := place(id)
	for _, m := range []map[int64]*seenBlock{s.current, s.previous} {
		if b := m[key]; b != nil {
			b.bits[word] &^= bit
		}
	}
}

// full reports whether it is time to rotate.
func (s *seenIDs) full(now time.Time, life time.Duration) bool {
	return len(s.current) > maxSeenBlocks || now.Sub(s.started) > life
}

func (s *seenIDs) rotate(now time.Time) {
	s.current, s.previous, s.started = map[int64]*seenBlock{}, s.current, now
}
