package alarm

import (
	"fmt"
	"strings"
	"time"
)

// A Kind says what an alarm is about.
type Kind string

const (
	Failed    Kind = "failed"    // runs failed
	Recovered Kind = "recovered" // a job succeeds again after reported failures
	Test      Kind = "test"      // somebody tests the channels
)

// An Alarm is one message to people, about one job or, in a storm, about several.
type Alarm struct {
	// ID stays the same when a message has to be sent again because it is unknown whether it
	// arrived. A message that is about other runs by then has another ID.
	ID   string    `json:"id"`
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"`
	// Source names the scheduler.
	Source string `json:"source"`
	// Emails are the receivers that the jobs name. Only [Mail] uses them.
	Emails []string `json:"-"`
	// Jobs are the jobs that the message describes, and MoreJobs counts the others.
	Jobs     []Job `json:"jobs"`
	MoreJobs int   `json:"moreJobs,omitempty"`
	// MoreRuns counts the runs that the alarm is about beyond those in Jobs.
	MoreRuns int `json:"moreRuns,omitempty"`
}

// A Job is what an alarm says about one job.
type Job struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	App    string `json:"app"` // of its executors
	Author string `json:"author"`
	// InARow counts the failed runs without a success between them, including this alarm's.
	InARow int `json:"inARow,omitempty"`
	// Runs are the newest runs that the alarm is about, newest first.
	Runs []Run `json:"runs"`
}

// A Run is what an alarm says about one run.
type Run struct {
	LogID    int64     `json:"logId"`
	At       time.Time `json:"at"` // when the result came, or else when the run was triggered
	Address  string    `json:"address,omitempty"`
	Handler  string    `json:"handler,omitempty"`
	Param    string    `json:"param,omitempty"`
	Sharding string    `json:"sharding,omitempty"`
	// Code is the code of the result, or of the hand-over if there is no result: 500, 502 or what
	// the executor said, and 200 in an alarm of the kind Recovered.
	Code    int    `json:"code"`
	Reason  string `json:"reason,omitempty"`
	Retries int    `json:"retries"` // attempts that are still to follow
}

// runs returns the number of runs that the alarm is about.
func (a *Alarm) runs() int {
	n := a.MoreRuns
	for _, j := range a.Jobs {
		n += len(j.Runs)
	}
	return n
}

// Title returns the alarm in one line.
func (a *Alarm) Title() string {
	switch {
	case a.Kind == Test:
		return "test alarm"
	case len(a.Jobs)+a.MoreJobs > 1 && a.Kind == Recovered:
		return fmt.Sprintf("%d jobs have recovered", len(a.Jobs)+a.MoreJobs)
	case len(a.Jobs)+a.MoreJobs > 1:
		return fmt.Sprintf("%d jobs failed, %d runs", len(a.Jobs)+a.MoreJobs, a.runs())
	case len(a.Jobs) == 0:
		return "a job " + string(a.Kind)
	}
	name := fmt.Sprintf("job %d %s", a.Jobs[0].ID, oneLine(a.Jobs[0].Name))
	switch runs := a.runs(); {
	case a.Kind == Recovered:
		return name + " has recovered"
	case runs > 1:
		return fmt.Sprintf("%s failed, %d runs", name, runs)
	}
	return name + " failed"
}

// oneLine replaces control characters, which other tools may have stored, by spaces.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
}
