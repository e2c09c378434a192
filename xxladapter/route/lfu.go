package route

// leastFrequentlyUsed is LEAST_FREQUENTLY_USED for one job.
func (r *Routes) leastFrequentlyUsed(jobID int64, addrs []string) string {
	return r.counts.update(jobID, r.now(), func(counts map[string]int, _ bool) (map[string]int, string) {
		return nextFrequency(counts, addrs, r.intn)
	})
}

// nextFrequency returns the address with the smallest count, and the counts
// after it was used. Addresses that are new, or were counted past maxCount,
// start with a random count below the length of the list; those no longer in
// the list are dropped (XXL-JOB 2.4.2, ExecutorRouteLFU.java). A count is of
// triggers sent from here, not of runs or load, so an address that joins late,
// or starts again after maxCount, gets every trigger until its count has caught
// up.
//
// Among equal counts the first in the list is taken. Upstream takes the first
// in the order of Java's hash table, which follows from nothing a user sees.
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
