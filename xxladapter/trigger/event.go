package trigger

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An Event reports what became of a fire, once that is stored. Options.OnEvent is called with it on
// the goroutine that did the work, which waits for it.
type Event struct {
	Kind    EventKind
	Job     string // name; empty for results, and for what the store settled itself
	App     string // app name of the group; empty where Job is
	JobID   int64
	Fire    xxladapter.Fire // zero where Job is empty
	LogID   int64
	Address string
	At      time.Time // when the request left, or when the result was stored
	Began   time.Time // when the run was triggered, in whole seconds
	// Sent is when the request left, and Acknowledged when its answer arrived, by the store's
	// clock. Zero means that this did not happen, or is not known.
	Sent, Acknowledged time.Time
	Code               int // trigger code, or result code
	Msg                string
}

// An EventKind sorts events.
type EventKind int

const (
	EventSent      EventKind = iota // the executor accepted the run, or a queue has stored it
	EventFailed                     // not taken, nobody to send it to, or its outcome stays unknown
	EventAmbiguous                  // the outcome is not known yet
	EventResult                     // the run ended and its result is stored
)

// What a reported result has changed: the argument of Options.OnCallback.
const (
	CallbackApplied   = "applied"
	CallbackDuplicate = "duplicate" // the run has this result already
	CallbackLate      = "late"      // the run has another one, for example because it was given up
	CallbackUnknown   = "unknown"   // there is no such run
)
