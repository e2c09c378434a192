package route

// leastRecentlyUsed implements LEAST_RECENTLY_USED for one job.
func (r *Routes) leastRecentlyUsed(jobID int64, addrs []string) string {
	return r.orders.update(jobID, r.now(), func(order []string, _ bool) ([]string, string) {
		return nextOrder(order, addrs)
	})
}

// nextOrder returns the least recently used address, and the order after its use. An order starts
// with the least recently used address and contains no address twice. New addresses join in list
// order as the most recently used; those no longer in the list are dropped (XXL-JOB 2.4.2,
// ExecutorRouteLRU.java). Without an order the strategy therefore starts at the beginning of the
// list, on every scheduler alike.
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
