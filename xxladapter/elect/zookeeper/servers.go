package zookeeper

import (
	"sync"

	"github.com/go-zookeeper/zk"
)

// servers are the servers of an ensemble by the names that the address has. The library's own list
// replaces the names by IP addresses, for which certificates are seldom valid, and fails as a whole
// if one name does not resolve.
type servers struct {
	mu    sync.Mutex // guards the fields below
	hosts []string
	at    int // of the last answer of Next; -1 before the first
	last  int // where a round of attempts ends; -1 before the first attempt
}

var _ zk.HostProvider = (*servers)(nil)

// Init implements [zk.HostProvider]. The library has shuffled the hosts.
func (s *servers) Init(hosts []string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hosts, s.at, s.last = hosts, -1, -1
	return nil
}

// Len implements [zk.HostProvider].
func (s *servers) Len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.hosts)
}

// Next implements [zk.HostProvider].
func (s *servers) Next() (host string, again bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = (s.at + 1) % len(s.hosts)
	again = s.at == s.last
	s.last = max(s.last, 0)
	return s.hosts[s.at], again
}

// Connected implements [zk.HostProvider].
func (s *servers) Connected() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = s.at
}
