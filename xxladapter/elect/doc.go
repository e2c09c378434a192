// Package elect lets a coordinator outside of the store, such as etcd or ZooKeeper, say which of
// several schedulers may take the shards of jobs. It fences nothing: what a scheduler may write
// depends on its term in the store alone, so a leader that does not know yet that another one was
// elected does no harm.
//
// An [Elector] is one coordinator; elect/etcd and elect/zookeeper are the two there are. A
// [Candidacy] campaigns on behalf of a node for as long as that runs.
//
// Both are part of this module, because the command offers them by one flag. It alone imports them,
// and 3 MB of its binary are etcd's client: another program compiles none of it. The etcd server
// that tests start is in a module of its own.
package elect
