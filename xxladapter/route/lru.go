package route

// leastRecentlyUsed is LEAST_RECENTLY_USED for one job.
func (r *Routes) leastRecentlyUsed(jobID int64, addrs []string) string {
	return r.orders.update(jobID, r.now(), func(order []string, _ bool) ([]string, string) {
		return nextOrder(order, addrs)
	})
}

// nextOrder returns the address that was used longest ago, and the order of use
// after it was used. An order starts with the address used longest ago and has
// no address twice. New addresses join in list order as the most recently used;
// those no longer in the list are dropped (XXL-JOB 2.4.2,
// ExecutorRouteLRU.java). Without an order the list is therefore gone through
// from its start, on every scheduler alike.
func nextOrder(order, addrs []string) ([]string, string) {
	const listed, placed = 1, 2
	state := make(map[string]int, len(addrs))
	for _, addr := range addrs {
		state[addr] = listed
	}
	next := make([]string, 0, len(state))
	for _, from := range [2][]string{order, addrs} {
		for _, addr := range from {
			if state[addr] == listed {
				state[addr] = placed
				next = append(next, addr)
			}
		}
	}
	oldest := next[0]
	return append(next[1:], oldest), oldest
}
