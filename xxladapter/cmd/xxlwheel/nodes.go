package main

import (
	"fmt"
	"time"
)

// nodeCmd shows the schedulers of a store.
type nodeCmd struct {
	clientFlags

	List  nodeListCmd  `cmd:"" help:"List the schedulers that hold a lease."`
	Drain nodeDrainCmd `cmd:"" help:"Let a scheduler plan nothing more until it is started again. Its shards move to the others."`
}

type nodeListCmd struct{}

func (c *nodeListCmd) Run(inv *invocation, parent *nodeCmd) error {
	type node struct {
		Node   string
		Term   int64
		Until  time.Time
		Shards int
	}
	return listing[node]{
		key: "nodes", columns: []string{"NODE", "TERM", "UNTIL", "SHARDS"},
		row: func(n *node) []string {
			return []string{n.Node, fmt.Sprint(n.Term), timeText(&n.Until), fmt.Sprintf("%d of 64", n.Shards)}
		},
	}.print(inv, &parent.clientFlags, "/nodes", nil)
}

type nodeDrainCmd struct {
	Node string `arg:"" help:"Name of the scheduler, as node list shows it."`
}

func (c *nodeDrainCmd) Run(inv *invocation, parent *nodeCmd) error {
	return parent.api().call(inv.ctx, "POST", "/nodes/drain", map[string]any{"node": c.Node}, nil)
}
