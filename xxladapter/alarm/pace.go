package alarm

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// window is the time after an alarm in which further failures of its job are batched. It is
	// also the period to which burst applies.
	window = time.Minute
	// burst limits the messages about single jobs that one node sends in a window. The poll that
	// would exceed it sends one message for each list of receivers instead, however many there are.
	// DingTalk and WeCom accept 20 messages a minute.
	burst = 20
)

// A subject is what has to be reported about one job. A new subject consists of decisions; one that
// was claimed by a node that did not finish consists of claims.
type subject struct {
	job       *xxladapter.Job
	decisions []xxladapter.AlarmDecision
	claims    []xxladapter.AlarmClaim
}

// isHeld reports whether a job waits for the end of the window after its last alarm. A clock that
// was set back holds no job.
func isHeld(sent, now time.Time) bool {
	since := now.Sub(sent)
	return !sent.IsZero() && since >= 0 && since < window
}

// A pace limits the messages of one node. The zero value is ready.
type pace struct {
	until time.Time // end of the window
	left  int       // messages left in the window
}

// take returns the subjects of each message to send now, or nothing if all subjects have to wait;
// the next poll finds those again. Every subject gets its own message unless there are more
// subjects than messages left. In that case subjects with the same receivers share a message, even
// if that makes more messages than are left, and later subjects wait for the next window.
func (p *pace) take(now time.Time, subjects []subject) [][]subject {
	if len(subjects) == 0 {
		return nil
	}
	if !now.Before(p.until) || p.until.Sub(now) > window {
		p.until, p.left = now.Add(window), burst
	}
	if p.left == 0 {
		return nil
	}
	if len(subjects) > p.left {
		p.left = 0
		return byReceivers(subjects)
	}
	p.left -= len(subjects)
	var messages [][]subject
	for _, s := range subjects {
		messages = append(messages, []subject{s})
	}
	return messages
}

// byReceivers groups subjects by receivers, so that nobody reads about the jobs of others.
func byReceivers(subjects []subject) [][]subject {
	at := map[string]int{}
	var messages [][]subject
	for _, s := range subjects {
		i, known := at[s.job.AlarmEmail]
		if !known {
			i = len(messages)
			at[s.job.AlarmEmail] = i
			messages = append(messages, nil)
		}
		messages[i] = append(messages[i], s)
	}
	return slices.Clip(messages)
}
