package xxladapter

// A Spread says who hands over the fires that a leader plans. The zero value counts as
// [SpreadNone].
type Spread string

// The ways to spread fires. The leader takes part like the other nodes.
const (
	// SpreadNone lets the leader hand over everything itself.
	SpreadNone Spread = "none"
	// SpreadHash chooses the node by the id of the job, by rendezvous hashing: a job stays on its
	// node as long as that is there.
	SpreadHash Spread = "hash"
	// SpreadRandom chooses a node at random for each fire.
	SpreadRandom Spread = "random"
	// SpreadRound lets the nodes take turns.
	SpreadRound Spread = "round"
)

// Values returns the ways to spread fires.
func (Spread) Values() []Spread { return []Spread{SpreadNone, SpreadHash, SpreadRandom, SpreadRound} }

// Validate refuses a way that does not exist, the empty one included, as an [Error] with
// [CodeInvalid].
func (s Spread) Validate() error { return CheckOneOf("spread", s) }

// A SpreadReport counts fires that were planned by a leader and meant for another node, since the
// reporting process began.
type SpreadReport struct {
	Sent     int64 // given to other nodes by this one, as the leader
	Received int64 // taken by this node from a leader
	// Kept counts fires that this node, as the leader, meant for another one and kept, because
	// that one refused them or did not answer.
	Kept int64
}
