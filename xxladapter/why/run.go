package why

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/triggermsg"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// maxReason limits a reason that an executor gave, in bytes.
const maxReason = 2000

// ofRun explains a run: how it was handed over to its executor, and how it ended.
func (f *Facts) ofRun(r Run) (found []Finding) {
	l, proof := r.Log, []Record{logRecord(r.Log)}
	values := params("run", strconv.FormatInt(l.ID, 10), "triggered", f.local(l.TriggerTime),
		"address", l.Address, "handler", l.Handler,
		"app", f.app(), "route", string(f.Job.Route), "block", string(f.Job.Block))
	if h := r.History; h == nil {
		found = append(found, Finding{NotTraced, values, proof})
	} else {
		proof = append(proof, historyRecord(h))
		values["due"], values["late"], values["attempt"] = f.local(h.Due), short(h.Lateness()), strconv.Itoa(h.Attempt)
		values["node"], values["finished"] = h.Owner.Node, f.local(h.Finished)
		switch {
		case h.TakenBy != "":
			found = append(found, Finding{NodeFroze, params("due", f.local(h.Due), "node", h.Owner.Node,
				"by", h.TakenBy, "at", f.local(h.TakenOver), "late", short(h.TakenOver.Sub(h.Claimed))), proof})
		case h.Claimed.Sub(h.Due) > lateLimit && h.Type != xxladapter.TriggerMisfire &&
			h.Type != xxladapter.TriggerBackfill:
			found = append(found, Finding{RanLate, params("due", f.local(h.Due), "claimed", f.local(h.Claimed),
				"late", short(h.Claimed.Sub(h.Due)), "node", h.Owner.Node), proof})
		}
	}
	code, reason := f.outcomeOf(r)
	values["reason"] = xxladapter.CutText(reason, maxReason)
	maps.DeleteFunc(values, func(_, value string) bool { return value == "" })
	return append(found, Finding{code, values, proof})
}

func (f *Facts) app() string {
	if f.Group == nil {
		return ""
	}
	return f.Group.AppName
}

// outcomeOf returns what became of a run, and the reason that is stored with it.
func (f *Facts) outcomeOf(r Run) (Code, string) {
	l := r.Log
	if l.HandleCode == xxladapter.ResultNone && l.TriggerCode != xxladapter.ResultOK {
		return f.handOverOf(r)
	}
	switch {
	case l.HandleCode == xxladapter.ResultNone && f.Group != nil && l.Address != "" &&
		!slices.Contains(f.Group.Addresses, l.Address):
		return ResultLost, ""
	case l.HandleCode == xxladapter.ResultNone:
		return Running, ""
	case l.HandleCode == xxladapter.ResultOK:
		return Ran, ""
	case strings.HasPrefix(l.HandleMsg, xxladapter.LostMsg), l.HandleMsg == wire.MsgResultLost:
		return ResultLost, l.HandleMsg
	case strings.HasPrefix(l.HandleMsg, wire.MsgCoverEarly):
		return Covered, l.HandleMsg
	case strings.HasPrefix(l.HandleMsg, wire.MsgKilledByAdmin):
		return Killed, l.HandleMsg
	case l.HandleCode == xxladapter.ResultTimeout:
		return TimedOut, l.HandleMsg
	}
	return Failed, l.HandleMsg
}

// handOverOf returns why no executor is known to have taken a run.
func (f *Facts) handOverOf(r Run) (Code, string) {
	l := r.Log
	reason := triggermsg.Reason(l.TriggerMsg)
	addresses, _ := triggermsg.Value(l.TriggerMsg, triggermsg.Addresses)
	switch {
	case l.TriggerCode == xxladapter.ResultUnknown:
		return Unanswered, reason
	case l.TriggerCode == xxladapter.ResultNone:
		return f.openHandOver(r), reason
	case strings.Contains(reason, wire.MsgDiscardLater):
		return RefusedByBlock, reason
	case l.Address == "" && strings.Contains(reason, xxladapter.ReasonDrained):
		return Drained, reason
	case l.Address == "" && addresses == "[]":
		return NoExecutor, reason
	case l.Address == "":
		return RefusedByRoute, reason
	case strings.HasPrefix(reason, xxladapter.ReasonUnknown):
		return Unanswered, reason
	case r.History != nil && r.History.Acknowledged.IsZero():
		return Unreachable, reason
	}
	return Refused, reason
}

// openHandOver returns the state of a hand-over without an outcome.
func (f *Facts) openHandOver(r Run) Code {
	for i := range f.Open {
		if f.Open[i].LogID == r.Log.ID {
			return f.ofFire(&f.Open[i])[0].Code
		}
	}
	return Unanswered
}
