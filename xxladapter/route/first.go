package route

// first implements FIRST (XXL-JOB 2.4.2, ExecutorRouteFirst.java).
func first(addrs []string) string { return addrs[0] }
