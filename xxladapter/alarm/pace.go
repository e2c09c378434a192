package alarm

import (
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// window is how long the failures of a job are gathered after an alarm of
	// it, and the time in which burst messages may go out.
	window = time.Minute
	// burst is how many messages one node sends in a window, one for each job;
	// beyond it jobs share messages. DingTalk and WeCom take 20 a minute.
	burst = 20
)

// A subject is what one job has to tell now. It is either new, as decisions, or
// was undertaken by a node that did not get to the end, as claims.
type subject struct {
	job       *xxladapter.Job
	decisions []xxladapter.AlarmDecision
	claims    []xxladapter.AlarmClaim
}

// isHeld reports whether a job waits for the end of the window after its last
// alarm. A clock that was set back holds nobody.
func isHeld(sent, now time.Time) bool {
	since := now.Sub(sent)
	return !sent.IsZero() && since >= 0 && since < window
}

// A pace bounds the messages of one node. The zero value is ready.
type pace struct {
	until time.Time // the window's end
	left  int       // messages that still fit
}

// take returns the messages that go out now, as the subjects of each, or
// nothing if the subjects have to wait; they are then found again. Every subject
// gets a message of its own, unless that would be too many: then those with the
// same receivers share one, and all others wait for the next window.
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

// byReceivers keeps apart what goes to different people, so that nobody reads
// about the jobs of others.
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
