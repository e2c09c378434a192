package route

import "fmt"

// Shard returns the address of one shard of a broadcast: addrs[index], or addrs[0] if the list
// became shorter after the shards were created, as may happen before a retry (XXL-JOB 2.4.2,
// XxlJobTrigger.java). The first executor then runs more than one shard, and a changed order moves
// a shard to another executor.
//
// It returns [ErrNoAddress] for an empty list, and an error for a negative index.
func Shard(addrs []string, index int) (string, error) {
	if len(addrs) == 0 {
		return "", ErrNoAddress
	}
	if index < 0 {
		return "", fmt.Errorf("route: shard index is %d, must not be negative", index)
	}
	if index >= len(addrs) {
		index = 0
	}
	return addrs[index], nil
}
