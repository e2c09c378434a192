package main

import (
	"fmt"
	"text/tabwriter"
	"time"
)

// nodeCmd looks at the schedulers of a store.
type nodeCmd struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"One of the running schedulers (default ${default})."`
	AccessToken string `placeholder:"TOKEN" help:"Secret of the scheduler."`

	List nodeListCmd `cmd:"" help:"List the schedulers that hold a lease."`
}

type nodeListCmd struct{}

func (c *nodeListCmd) Run(inv *invocation, parent *nodeCmd) error {
	var list struct {
		Nodes []struct {
			Node   string
			Term   int64
			Until  time.Time
			Shards int
		}
	}
	api := apiClient{parent.Server, parent.AccessToken}
	if err := api.call(inv.ctx, "GET", "/nodes", nil, &list); err != nil {
		return err
	}
	w := tabwriter.NewWriter(inv.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NODE\tTERM\tUNTIL\tSHARDS")
	for _, n := range list.Nodes {
		fmt.Fprintf(w, "%s\t%d\t%s\t%d of 64\n", n.Node, n.Term, n.Until.Local().Format(time.RFC3339), n.Shards)
	}
	return w.Flush()
}
