package accounts

import (
	"net/netip"
	"sync"
	"time"
)

// The limits of failed tries within a minute. triesByNetwork is larger, because behind a proxy all
// users have one address.
const (
	triesByName    = 5 // for one name from one address
	triesByNetwork = 30
)

// maxKnown bounds the memory of a limiter. While it is full of keys that were tried within the last
// minute, each new key evicts another one: refusing the new one would let strangers lock everybody
// out.
const maxKnown = 100_000

// A limiter bounds failed tries by key, over a sliding minute. Its methods may be called from any
// goroutine.
type limiter struct {
	most  int                    // tries of a key within a minute
	mu    sync.Mutex             // guards the fields below
	tries map[string][]time.Time // oldest first; those older than a minute no longer count
	swept time.Time
}

func newLimiter(most int) *limiter { return &limiter{most: most, tries: map[string][]time.Time{}} }

// take counts a try of key, or returns how long to wait if none is left. The caller gives back a
// try that does not fail.
func (l *limiter) take(key string, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	recent, known := within(l.tries[key], now)
	if !known && len(l.tries) >= maxKnown {
		l.makeRoom(now)
	}
	if len(recent) >= l.most {
		l.tries[key] = recent
		return recent[0].Add(time.Minute).Sub(now)
	}
	l.tries[key] = append(recent, now)
	return 0
}

// giveBack removes the try that take counted at the instant at.
func (l *limiter) giveBack(key string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	tries := l.tries[key]
	for i, t := range tries {
		if t.Equal(at) {
			if tries = append(tries[:i:i], tries[i+1:]...); len(tries) == 0 {
				delete(l.tries, key)
				return
			}
			l.tries[key] = tries
			return
		}
	}
}

// makeRoom evicts the keys without a recent try, at most once a second because it reads all keys.
// If that is not enough, it evicts any key.
//
// REQUIRES: l.mu is held.
func (l *limiter) makeRoom(now time.Time) {
	if now.Sub(l.swept) >= time.Second {
		l.swept = now
		l.sweep(now)
	}
	for key := range l.tries {
		if len(l.tries) < maxKnown {
			return
		}
		delete(l.tries, key)
	}
}

// sweep evicts the keys without a recent try.
//
// REQUIRES: l.mu is held.
func (l *limiter) sweep(now time.Time) {
	for key, tries := range l.tries {
		if recent, _ := within(tries, now); len(recent) == 0 {
			delete(l.tries, key)
		}
	}
}

// within returns the tries of the minute before now. known reports whether tries has any, recent or
// not.
func within(tries []time.Time, now time.Time) (recent []time.Time, known bool) {
	known = len(tries) > 0
	for len(tries) > 0 && !tries[0].After(now.Add(-time.Minute)) {
		tries = tries[1:]
	}
	return tries, known
}

// network returns the key under which tries from an address are counted: the address itself, or the
// /64 network of an IPv6 address, since one host may use the whole network.
func network(address string) string {
	ip, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	ip = ip.Unmap().WithZone("")
	if ip.Is4() {
		return ip.String()
	}
	prefix, _ := ip.Prefix(64) // 64 bits are possible
	return prefix.String()
}
