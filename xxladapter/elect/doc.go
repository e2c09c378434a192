// Package elect lets a coordinator outside of the store, such as etcd or ZooKeeper, say which of
// several schedulers may take the partitions of jobs. It fences nothing: what a scheduler may write
// depends on its term in the store alone, so a leader that does not know yet that another one was
// elected does no harm.
//
// An [Elector] is one coordinator; elect/etcd and elect/zookeeper are the two there are. A
// [Candidacy] campaigns on behalf of a node for as long as the node runs.
//
// Both electors are part of this module, because one flag of the command offers them. Only the
// command imports them: etcd's client adds 3 MB to the binary of the command, and nothing to other
// programs. The etcd server that tests start is in a module of its own.
package elect
