package why

import (
	"fmt"
	"strconv"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Code says what a finding found. Codes never change their meaning.
type Code string

const (
	// Why no fire was planned.
	NotCreated  Code = "not_created"  // the job did not exist yet
	Stopped     Code = "stopped"      // the schedule was off
	NoSchedule  Code = "no_schedule"  // the job has no schedule
	BadSchedule Code = "bad_schedule" // the schedule cannot be parsed
	NoMatch     Code = "no_match"     // the schedule does not match the time
	AfterRun    Code = "after_run"    // the schedule counts from the end of the previous run
	NotYet      Code = "not_yet"      // the time is in the future
	Misfire     Code = "misfire"      // found too late, or the store lost what became of it
	Paused      Code = "paused"       // in a pause
	Excluded    Code = "excluded"     // on a day without work of the job's calendar
	NoScheduler Code = "no_scheduler" // no scheduler holds a lease
	ClocksApart Code = "clocks_apart" // the scheduler's clock differs from the store's
	Overdue     Code = "overdue"      // no scheduler has planned it yet
	NoRecord    Code = "no_record"    // nothing is stored about it

	// Why a fire is still open.
	NoPlace   Code = "no_place"   // it waits for a place in the pool
	NodeFroze Code = "node_froze" // the scheduler that claimed it fell silent
	BeingSent Code = "being_sent" // a scheduler is handing it over
	Ambiguous Code = "ambiguous"  // the executor's answer was lost, and it is being asked

	// How the hand-over went.
	RanLate    Code = "ran_late"   // it waited before it was claimed
	NotTraced  Code = "not_traced" // another program handed the run over
	Unanswered Code = "unanswered" // the outcome of the hand-over stayed unknown

	// Why no executor took the run.
	NoExecutor     Code = "no_executor"      // the group had no address
	Drained        Code = "drained"          // every address of the group was drained
	RefusedByRoute Code = "refused_by_route" // the route strategy found no suitable executor
	RefusedByBlock Code = "refused_by_block" // the block strategy discarded it
	Refused        Code = "refused"          // the executor said no
	Unreachable    Code = "unreachable"      // the request never arrived

	// What became of the run.
	Running    Code = "running"
	Ran        Code = "ran" // it did run
	Failed     Code = "failed"
	TimedOut   Code = "timed_out"
	Covered    Code = "covered" // a later run replaced it, by the block strategy
	Killed     Code = "killed"
	ResultLost Code = "result_lost" // its executor is gone
)

// Values lists all codes.
func (Code) Values() []Code {
	return []Code{
		NotCreated, Stopped, NoSchedule, BadSchedule, NoMatch, AfterRun, NotYet, Misfire, Paused, Excluded, NoScheduler,
		ClocksApart, Overdue, NoRecord,
		NoPlace, NodeFroze, BeingSent, Ambiguous, RanLate, NotTraced, Unanswered,
		NoExecutor, Drained, RefusedByRoute, RefusedByBlock, Refused, Unreachable,
		Running, Ran, Failed, TimedOut, Covered, Killed, ResultLost,
	}
}

// A Finding is one reason, with what proves it.
type Finding struct {
	Code Code
	// Params are the values of the placeholders in the text of Code.
	Params map[string]string
	// Evidence lists the records that prove it. It is never empty.
	Evidence []Record
}

// A Record is a stored fact.
type Record struct {
	Kind string // job, log, history, fire, misfire, pause, calendar, lease, audit or clock
	ID   int64  // 0 for leases, clocks and calendars
	// Facts are the fields that matter, as texts.
	Facts map[string]string
}

// params returns a map of pairs, without those whose value is empty.
func params(pairs ...string) map[string]string {
	m := make(map[string]string, len(pairs)/2)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			m[pairs[i]] = pairs[i+1]
		}
	}
	return m
}

func logRecord(l *xxladapter.Log) Record {
	return Record{"log", l.ID, params("triggerTime", l.TriggerTime.UTC().Format(time.RFC3339), "triggerCode",
		strconv.Itoa(l.TriggerCode),
		"handleCode", strconv.Itoa(l.HandleCode), "executorAddress", l.Address, "handleMsg", l.HandleMsg)}
}

func historyRecord(h *xxladapter.RunHistory) Record {
	return Record{"history", h.LogID, params("due", utc(h.Due), "claimed", utc(h.Claimed), "sent", utc(h.Sent),
		"acknowledged", utc(h.Acknowledged),
		"finished", utc(h.Finished), "node", h.Owner.Node, "term", strconv.FormatInt(h.Owner.Number, 10),
		"takenOverBy", h.TakenBy, "takenOver", utc(h.TakenOver))}
}

func fireRecord(f *xxladapter.Fire) Record {
	return Record{"fire", f.ID, params(
		"due", utc(f.Due), "state", string(f.State), "node", f.Owner.Node, "claimed", utc(f.Claimed),
	)}
}

func misfireRecord(m *xxladapter.Misfire) Record {
	return Record{"misfire", m.ID, params("due", utc(m.Due), "until", utc(m.Until), "at", utc(m.At), "misfireStrategy",
		string(m.Strategy),
		"kind", string(m.Kind()), "calendar", m.Calendar)}
}

func auditRecord(r *xxladapter.AuditRow) Record {
	return Record{"audit", r.ID, params("time", utc(r.At), "actor", actorText(r.Actor), "call", r.Call)}
}

func leaseRecord(leases []xxladapter.Lease, now time.Time) Record {
	r := Record{"lease", 0, params("count", strconv.Itoa(len(leases)), "now", utc(now))}
	for _, l := range leases {
		r.Facts["until of "+l.Node] = utc(l.Until)
	}
	return r
}

// actorText names the actor of a change.
func actorText(a xxladapter.Actor) string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return fmt.Sprintf("%s %s", a.Kind, a.Name)
}

// utc formats an instant of a record; empty for the zero time.
func utc(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999Z")
}
