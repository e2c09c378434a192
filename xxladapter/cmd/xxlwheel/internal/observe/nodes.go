package observe

import (
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// NodeCmd lists and drains the nodes of a store.
type NodeCmd struct {
	client.Flags

	List  nodeListCmd  `cmd:"" help:"List the nodes that hold a lease, with what each says about its clock, its pools and the runs that a leader has spread."`
	Moves nodeMovesCmd `cmd:"" help:"List how partitions of jobs have changed hands, the newest first: who joined, stopped, was drained, died or lapsed."`
	Drain nodeDrainCmd `cmd:"" help:"Let a node plan nothing more until it is started again. Its partitions move to the others."`
}

type nodeListCmd struct{}

func (c *nodeListCmd) Run(inv *command.Invocation, parent *NodeCmd) error {
	type pool struct{ Places, InFlight, Waiting int }
	type node struct {
		Node         string
		Term         int64
		Until        time.Time
		Mode, Role   string
		Election     string
		Elector      string
		Partitions   int
		ClockAheadMs int64
		Fast, Slow   pool
		Spread       string
		Fires        struct{ Sent, Received, Kept int64 }
		LastMove     *partitionMove
	}
	load := func(p pool) string { return fmt.Sprintf("%d of %d, %d waiting", p.InFlight, p.Places, p.Waiting) }
	return client.Listing[node]{
		Key: "nodes", Columns: []string{
			"NODE", "TERM", "UNTIL", "MODE", "ROLE", "ELECTION", "PARTITIONS", "CLOCK", "FAST", "SLOW", "SPREAD",
			"LAST MOVE",
		},
		Row: func(n *node) []string {
			last := "-"
			if h := n.LastMove; h != nil {
				last = fmt.Sprintf("%s %s", h.Cause, printing.Time(&h.At))
			}
			spread := "-"
			if n.Spread != "" {
				spread = fmt.Sprintf(
					"%s, %d sent, %d received, %d kept", n.Spread, n.Fires.Sent, n.Fires.Received, n.Fires.Kept,
				)
			}
			return []string{n.Node, fmt.Sprint(n.Term), printing.Time(&n.Until), n.Mode, n.Role,
				election(n.Election, n.Elector), fmt.Sprintf("%d of %d", n.Partitions, xxladapter.Partitions),
				fmt.Sprintf("%+d ms", n.ClockAheadMs), load(n.Fast), load(n.Slow), spread, last}
		},
	}.Print(inv, &parent.Flags, "/nodes", nil)
}

// election says what an elector says of a node.
func election(state, elector string) string {
	switch {
	case state == string(xxladapter.ElectionStateNone):
		return "-"
	case elector == "":
		return state
	}
	return state + ", " + elector
}

// A partitionMove is how a node got or lost partitions.
type partitionMove struct {
	At         time.Time
	Cause      string
	Node       string
	Term       int64
	Partitions int
}

type nodeMovesCmd struct{}

func (c *nodeMovesCmd) Run(inv *command.Invocation, parent *NodeCmd) error {
	return client.Listing[partitionMove]{
		Key: "moves", Columns: []string{"AT", "CAUSE", "NODE", "TERM", "PARTITIONS"},
		Row: func(h *partitionMove) []string {
			return []string{printing.Time(&h.At), h.Cause, h.Node, fmt.Sprint(h.Term), fmt.Sprint(h.Partitions)}
		},
	}.Print(inv, &parent.Flags, "/nodes", nil)
}

type nodeDrainCmd struct {
	Node string `arg:"" help:"Name of the node, as node list shows it."`
}

func (c *nodeDrainCmd) Run(inv *command.Invocation, parent *NodeCmd) error {
	return parent.API().Call(inv.Context, "POST", "/nodes/drain", map[string]any{"node": c.Node}, nil)
}
