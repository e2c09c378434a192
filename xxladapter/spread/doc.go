// Package spread distributes the fires that a leader plans over the nodes that hand them over: it
// chooses a node for each fire, and sends the ids of fires from node to node.
//
// What is sent is a hint. The record in the store is the truth: a node that gets ids reads the
// fires from the store, any node may claim them, and the leader hands over what nobody has claimed
// a second after its due time. So no hint is repeated or remembered.
package spread
