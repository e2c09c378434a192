package trigger

import (
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/triggermsg"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// message returns the text of trigger_msg.
func (r *run) message(o sendOutcome, next []xxladapter.Fire) string {
	outcome := triggermsg.Success
	switch o.kind {
	case EventFailed:
		outcome = triggermsg.Error
	case EventAmbiguous:
		outcome = triggermsg.Unknown
	}
	m := triggermsg.Message{
		Type: r.fire.Type, Scheduler: r.fire.Owner.Node, Due: r.fire.Due,
		Manual:    r.group.AddressType == xxladapter.AddressManual || len(r.fire.Addresses) > 0,
		Addresses: r.addresses(), Route: r.job.Route, Sharding: r.log.Sharding, Block: r.job.Block,
		Timeout: r.job.Timeout, Retries: r.log.RetryCount,
		Address: r.log.Address, Handler: r.log.Handler, Param: r.log.Param,
		Outcome: outcome, Reason: o.msg,
	}
	m.Attempt, m.Attempts = r.attempt()
	for _, f := range next {
		m.Next = append(m.Next, f.Due)
	}
	return m.String()
}

// isRepeat reports whether msg refuses a log id that the executor already has.
func isRepeat(msg string) bool {
	return strings.HasPrefix(msg, wire.PrefixRepeat) || strings.HasPrefix(msg, wire.PrefixRepeatOld)
}
