package route

// random implements RANDOM (XXL-JOB 2.4.2, ExecutorRouteRandom.java): uniform, independent of the
// job.
func random(addrs []string, intn func(n int) int) string { return addrs[intn(len(addrs))] }
