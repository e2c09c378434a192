package route

// last implements LAST (XXL-JOB 2.4.2, ExecutorRouteLast.java).
func last(addrs []string) string { return addrs[len(addrs)-1] }
