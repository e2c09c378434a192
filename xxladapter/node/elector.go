package node

import (
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
)

// checkElector refuses an elector where nobody leads.
func (o *Options) checkElector() error {
	if o.Elector != nil && o.Scheduling != xxladapter.SchedulingLeader {
		return errors.New("node: Options.Elector is set, and Options.Scheduling is not leader")
	}
	return nil
}

// campaign lets the node campaign while it runs, if it has an elector.
func (n *Node) campaign() {
	if n.opts.Elector == nil {
		return
	}
	n.candidacy = elect.NewCandidacy(n.opts.Elector, n.scheduler.Fit, n.scheduler.Renew, n.opts.Logger)
	n.upkeep = append(n.upkeep, n.candidacy)
}

// election returns what the elector says of this node.
func (n *Node) election() xxladapter.Election {
	if n.candidacy == nil {
		return xxladapter.ElectionNone
	}
	return n.candidacy.Election()
}

// elector returns the address of the elector, without secrets; "" means that there is none.
func (n *Node) elector() string {
	if n.opts.Elector == nil {
		return ""
	}
	return n.opts.Elector.String()
}
