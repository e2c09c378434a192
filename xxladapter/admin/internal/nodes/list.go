package nodes

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A nodeForm is a node that holds a lease.
type nodeForm struct {
	Node       string                    `json:"node"`
	Term       int64                     `json:"term"`
	Until      time.Time                 `json:"until" doc:"When its lease expires unless it is renewed."`
	Mode       xxladapter.SchedulingMode `json:"mode" doc:"all: it plans jobs beside others. leader: it plans all jobs or none."`
	Role       xxladapter.NodeRole       `json:"role" doc:"plans: a part of the jobs. leads: all of them. standby: none until the leader's lease ends. retired: none until it has a new term, since it was drained or stops."`
	Says       xxladapter.ElectionState  `json:"election" doc:"What the elector said of it at its last renewal: none (no elector), elected, waits, or away (the elector did not answer)."`
	Asks       string                    `json:"elector,omitempty" doc:"Address of its elector, if the node that answers has one too; all of a store have the same."`
	Number     int64                     `json:"electionNumber,omitempty" doc:"The number of its leadership, if it is elected."`
	Partitions int                       `json:"partitions" doc:"How many of the 64 partitions it plans."`
	Ahead      int64                     `json:"clockAheadMs" doc:"How far its clock is ahead of the store's in milliseconds, as it last said; negative if it is behind."`
	Fast       poolForm                  `json:"fast" doc:"Its pool for ordinary jobs, as it last said."`
	Slow       poolForm                  `json:"slow" doc:"Its pool for slow jobs, as it last said."`
	Address    string                    `json:"address,omitempty" doc:"Where other nodes reach it, as it last said; it gets fires of a leader there."`
	Spread     xxladapter.Spread         `json:"spread,omitempty" doc:"Who hands over what it plans while it leads: none: itself. hash, random, round: all nodes, by the job, at random or in turn. Omitted outside of the mode leader."`
	Fires      *spreadForm               `json:"fires,omitempty" doc:"Fires that a leader planned for another node, as it last said; omitted outside of the mode leader."`
	Last       *partitionMoveForm        `json:"lastMove,omitempty" doc:"The latest stored move of partitions to or from it in its term; omitted if there is none."`
}

// A poolForm counts what is in a part of a node's pool.
type poolForm struct {
	Places   int `json:"places" doc:"How many runs can be handed over at a time; 0 if it has not said so yet."`
	InFlight int `json:"inFlight" doc:"Runs that are being handed over."`
	Waiting  int `json:"waiting" doc:"Runs that wait for a place."`
}

// A spreadForm counts fires that a leader planned for another node, since the process began.
type spreadForm struct {
	Sent     int64 `json:"sent" doc:"Given to others, as the leader."`
	Received int64 `json:"received" doc:"Taken from a leader."`
	Kept     int64 `json:"kept" doc:"Meant for another one, which did not take them."`
}

// A partitionMoveForm says that a node got or lost partitions.
type partitionMoveForm struct {
	At         time.Time            `json:"at"`
	Cause      xxladapter.MoveCause `json:"cause" doc:"joined: it got partitions. stopped: it was stopped. drained: an operator took them. skewed: its clock is off. died: its presence ended, then its lease lapsed. lapsed: its lease lapsed, as when it is frozen or the store does not report presence."`
	Node       string               `json:"node"`
	Term       int64                `json:"term"`
	Partitions int                  `json:"partitions" doc:"How many of the 64 it got or lost."`
}

type nodeList struct {
	Nodes          []nodeForm          `json:"nodes"`
	PartitionMoves []partitionMoveForm `json:"moves" doc:"How partitions have changed hands, the latest 100, the newest first."`
}

// shownMoves is how many moves an answer has at most.
const shownMoves = 100

func (s *Server) list(ctx context.Context, _ api.None) (no nodeList, err error) {
	leases, err := s.opts.Store.Leases(ctx)
	if err != nil {
		return no, err
	}
	kept, err := s.opts.Store.PartitionMoves(ctx, xxladapter.KeptMoves)
	if err != nil {
		return no, err
	}
	moves := make([]partitionMoveForm, len(kept))
	for i, h := range kept {
		moves[i] = partitionMoveForm{h.At, h.Cause, h.Term.Node, h.Term.Number, h.Partitions}
	}
	nodes := make([]nodeForm, len(leases))
	for i, l := range leases {
		nodes[i] = nodeForm{
			Node: l.Node, Term: l.Number, Until: l.Until, Mode: l.Mode, Role: l.Role(),
			Says: l.Election.State(), Number: int64(max(l.Election, 0)), Partitions: l.Partitions.Len(),
			Ahead: l.Report.Skew.Milliseconds(), Fast: poolForm(l.Report.Fast), Slow: poolForm(l.Report.Slow),
			Address: l.Report.Address, Spread: l.Report.Spread,
		}
		if l.Report.Spread != "" {
			nodes[i].Fires = (*spreadForm)(&l.Report.Fires)
		}
		if l.Election != xxladapter.ElectionNone {
			nodes[i].Asks = s.opts.Elector
		}
		if at := slices.IndexFunc(moves, func(h partitionMoveForm) bool {
			return h.Node == l.Node &&
				h.Term == l.Number
		}); at >= 0 {
			nodes[i].Last = &moves[at]
		}
	}
	return nodeList{nodes, moves[:min(len(moves), shownMoves)]}, nil
}
