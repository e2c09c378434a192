package route

// leastFrequentlyUsed implements LEAST_FREQUENTLY_USED for one job.
func (r *Routes) leastFrequentlyUsed(jobID int64, addrs []string) string {
	return r.counts.update(jobID, r.now(), func(counts map[string]int, _ bool) (map[string]int, string) {
		return nextFrequency(counts, addrs, r.intn)
	})
}

// nextFrequency returns the address with the smallest count, and the counts after its use. An
// address that is new, or whose count exceeds maxCount, starts with a random count below the length
// of the list; addresses no longer in the list are dropped (XXL-JOB 2.4.2, ExecutorRouteLFU.java).
// A count is the number of triggers sent from here, not of runs or load. So an address that joins
// late, or restarts after maxCount, gets every trigger until its count has caught up.
//
// Among equal counts the first in the list wins, which a user can predict; see docs/differences.md
// for upstream's choice.
func nextFrequency(counts map[string]int, addrs []string, intn func(n int) int) (map[string]int, string) {
	next := make(map[string]int, len(addrs))
	least := addrs[0]
	for _, addr := range addrs {
		if _, seen := next[addr]; seen {
			continue
		}
		count, ok := counts[addr]
		if !ok || count > maxCount {
			count = intn(len(addrs))
		}
		next[addr] = count
		if count < next[least] {
			least = addr
		}
	}
	next[least]++
	return next, least
}
