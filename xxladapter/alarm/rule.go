package alarm

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A step is one run of a job as the rule sees it: a failed run whose alarm is open, or the first
// success after another step.
type step struct {
	logID   int64
	ok      bool
	retries int  // attempts that follow a failed run
	old     bool // the run failed too long ago to be reported
}

// A verdict is the result of judging some steps.
type verdict struct {
	after     xxladapter.AlarmState
	quiet     []int64 // failed runs that need no alarm
	alarm     []int64 // failed runs that need one
	recovered int64   // the success that ended a reported series; 0 means none
}

// judge applies the steps of one job, in log id order, to its state. Runs need not end in the order
// in which they started: a run older than the last judged one counts only if it belongs to the same
// series of failures.
func judge(s xxladapter.Settings, state xxladapter.AlarmState, steps []step) verdict {
	var v verdict
	for _, run := range steps {
		if run.ok {
			// The last judged run may itself have become a success: its hand-over was written off,
			// and then its result arrived.
			if run.logID >= state.LastID {
				if state.Raised && notifiesRecovery(s) {
					v.recovered = run.logID
				}
				state.Raised, state.InARow, state.SinceID, state.LastID = false, 0, 0, run.logID
			}
			continue
		}
		switch {
		case run.logID > state.LastID:
			if state.InARow == 0 {
				state.SinceID = run.logID
			}
			state.InARow++
			state.LastID = run.logID
		case state.SinceID != 0 && run.logID >= state.SinceID:
			state.InARow++
		}
		if run.old || !raises(s, state, run) {
			v.quiet = append(v.quiet, run.logID)
			continue
		}
		v.alarm = append(v.alarm, run.logID)
		state.Raised = true
	}
	if state.Raised {
		v.recovered = 0 // the job is failing again, and only that is reported
	}
	v.after = state
	return v
}

// raises reports whether a failed run, which state has counted already, raises an alarm.
func raises(s xxladapter.Settings, state xxladapter.AlarmState, run step) bool {
	switch s.AlarmOn {
	case xxladapter.AlarmNever:
		return false
	case xxladapter.AlarmLastRetry:
		return run.retries <= 0
	case xxladapter.AlarmInARow:
		return !state.Raised && state.InARow >= s.AlarmAfter
	}
	return true // AlarmEach, the default
}

func notifiesRecovery(s xxladapter.Settings) bool {
	return s.AlarmRecovered && s.AlarmOn != xxladapter.AlarmNever
}

// maxRows limits the log rows that one transaction changes, so that hand-overs do not wait for it
// long.
const maxRows = 256

// decide turns the verdict on steps into decisions of at most maxRows rows each, to be stored in
// this order. It returns none if the steps change nothing.
func decide(
	s xxladapter.Settings, state xxladapter.AlarmState, steps []step, now time.Time,
) []xxladapter.AlarmDecision {
	var decisions []xxladapter.AlarmDecision
	recovered := int64(0)
	for len(steps) > 0 {
		part := steps[:min(maxRows, len(steps))]
		steps = steps[len(part):]
		v := judge(s, state, part)
		if v.recovered != 0 || v.after.Raised {
			recovered = v.recovered
		}
		if v.after == state && len(v.quiet)+len(v.alarm) == 0 {
			continue
		}
		d := xxladapter.AlarmDecision{Before: state, After: v.after, Quiet: v.quiet, Alarm: v.alarm}
		if len(v.alarm) > 0 {
			d.After.Sent = now
		}
		decisions = append(decisions, d)
		state = d.After
		state.Version++
	}
	if recovered != 0 && len(decisions) > 0 {
		last := &decisions[len(decisions)-1]
		last.Recovered, last.After.Sent = recovered, now
	}
	return decisions
}

// needsMessage reports whether any of the decisions requires a message.
func needsMessage(decisions []xxladapter.AlarmDecision) bool {
	for _, d := range decisions {
		if len(d.Alarm) > 0 || d.Recovered != 0 {
			return true
		}
	}
	return false
}
