// Package events notifies listeners of changes in a store. It does not pass on data: each event
// names a topic and an id, and the listener reads the rest with its own rights.
package events

import (
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Topic is a kind of thing that changes.
type Topic string

const (
	// TopicAll means that events may be missing: everything that is shown has to be read again.
	TopicAll Topic = "all"
	// TopicJob means that somebody has created, changed or removed a job. That its schedule has
	// moved on or ended is no event.
	TopicJob     Topic = "job"
	TopicRun     Topic = "run"     // a run began, was handed over, or ended
	TopicMisfire Topic = "misfire" // due times were missed
	TopicGroup   Topic = "group"   // a group of executors, its addresses or their drains changed
	TopicNode    Topic = "node"    // a scheduler came or went
	TopicPause   Topic = "pause"   // a pause of schedules began or ended
)

// Values lists all topics.
func (Topic) Values() []Topic {
	return []Topic{TopicAll, TopicJob, TopicRun, TopicMisfire, TopicGroup, TopicNode, TopicPause}
}

// An Event says that something has changed.
type Event struct {
	Topic Topic
	ID    int64 // the id of the thing; 0 means any of its topic
	// GroupID is the group of a job or a run; 0 if the event belongs to none.
	GroupID int64
	// Position is the event's place among those of its hub, of the form "generation-number".
	Position Position
}

// A Position is a place in the sequence of a hub's events.
type Position struct {
	Generation string // a new one each time that a hub begins to poll
	Number     int64
}

// String returns the form that [ParsePosition] reads.
func (p Position) String() string { return p.Generation + "-" + strconv.FormatInt(p.Number, 10) }

// ParsePosition reads a position. Text in another form gives the zero value.
func ParsePosition(text string) Position {
	generation, number, _ := strings.Cut(text, "-")
	n, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Position{}
	}
	return Position{generation, n}
}

func jobEvent(m xxladapter.JobMark) Event {
	return Event{Topic: TopicJob, ID: m.ID, GroupID: m.GroupID}
}

func runEvent(m xxladapter.RunMark) Event {
	return Event{Topic: TopicRun, ID: m.ID, GroupID: m.GroupID}
}
