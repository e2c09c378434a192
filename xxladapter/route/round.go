package route

const (
	// maxCount is the largest count that ROUND and LEAST_FREQUENTLY_USED continue from; above it
	// they draw a new one.
	maxCount = 1_000_000

	// roundStarts is how many counts a job may start from. The random start spreads the first
	// triggers of many jobs over the list.
	roundStarts = 100
)

// round implements ROUND for one job.
func (r *Routes) round(jobID int64, addrs []string) string {
	return r.rounds.update(jobID, r.now(), func(count int, ok bool) (int, string) {
		count = nextRound(count, ok, r.intn)
		return count, addrs[count%len(addrs)]
	})
}

// nextRound returns the next count, which modulo the length of the list is the index to use. ok is
// false if the job has no count yet (XXL-JOB 2.4.2, ExecutorRouteRound.java).
func nextRound(count int, ok bool, intn func(n int) int) int {
	if !ok || count > maxCount {
		return intn(roundStarts)
	}
	return count + 1
}
