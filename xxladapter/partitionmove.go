package xxladapter

import (
	"context"
	"time"
)

// A PartitionMove records that a term without partitions got some, or that one lost its part of the
// jobs because it ended or retired. What other nodes give or get by that is not recorded.
type PartitionMove struct {
	ID    int64
	At    time.Time // by the store's clock, in whole milliseconds
	Cause MoveCause
	// Term is the term that joined or that lost the partitions.
	Term Term
	// Partitions is how many partitions the term got or lost; never 0.
	Partitions int
}

// A MoveCause says why partitions changed hands.
type MoveCause string

// The causes of a [PartitionMove].
const (
	// MoveJoined: a term that had none got partitions, those of others or free ones.
	MoveJoined MoveCause = "joined"
	// MoveStopped: the node was stopped and gave its partitions back.
	MoveStopped MoveCause = "stopped"
	// MoveDrained: an operator took the node's partitions away.
	MoveDrained MoveCause = "drained"
	// MoveSkewed: the node gave its partitions back because its clock differs from the store's.
	MoveSkewed MoveCause = "skewed"
	// MoveDied: the node's presence ended, and its lease lapsed after that without a renewal.
	MoveDied MoveCause = "died"
	// MoveLapsed: the node's lease lapsed while its presence lasted, as when it is frozen, or
	// nobody watched its presence: the store reports none, or no other node was there.
	MoveLapsed MoveCause = "lapsed"
)

// Values returns the causes.
func (MoveCause) Values() []MoveCause {
	return []MoveCause{MoveJoined, MoveStopped, MoveDrained, MoveSkewed, MoveDied, MoveLapsed}
}

// KeptMoves limits the [PartitionMove] values that a store keeps to the latest ones. It keeps fewer
// if failed transactions have used up ids.
const KeptMoves = 200

// A PartitionMoveStore is the part of [Store] that lists how partitions have changed hands. The
// methods of [LeaseStore] write its rows, together with the change.
type PartitionMoveStore interface {
	// PartitionMoves lists the latest moves, newest first.
	PartitionMoves(ctx context.Context, limit int) ([]PartitionMove, error)
	// PresenceEnded records that a term's presence has ended; see [PresenceStore]. If the lease
	// lapses without another renewal, the cause of the move is [MoveDied]; nothing else depends on
	// it. A term that is over is no error.
	PresenceEnded(ctx context.Context, term Term) error
}
