package xxladapter

import (
	"net/url"
	"strings"
	"time"
)

// queueScheme begins the address of an executor that takes its runs from a queue, whichever broker
// has it: stores keep addresses, and a broker may be exchanged.
const queueScheme = "nats://"

// A QueueAddress names executors that take runs from a queue instead of listening.
type QueueAddress struct {
	App string // app name of the group
	// Instance is the executor's own name; empty means any executor of the app.
	Instance string
}

// A QueueState is what lies in the queue of one app.
type QueueState struct {
	// Runs is the number of runs that no executor has acknowledged.
	Runs int64
	// Oldest is when the oldest of them was published, by the broker's clock; zero if there is
	// none.
	Oldest time.Time
	// Redelivered is how many of them were delivered more than once.
	Redelivered int64
}

// ParseQueueAddress reads an address of the form nats://app/instance or nats://app. It returns
// false for any other text.
func ParseQueueAddress(text string) (QueueAddress, bool) {
	rest, ok := strings.CutPrefix(text, queueScheme)
	if !ok {
		return QueueAddress{}, false
	}
	escaped, instance, named := strings.Cut(rest, "/")
	app, err := url.PathUnescape(escaped)
	a := QueueAddress{App: app, Instance: instance}
	if err != nil || app == "" || named && !isInstance(instance) || a.String() != text {
		return QueueAddress{}, false
	}
	return a, true
}

// IsQueueAddress reports whether text is the address of a queue: [ParseQueueAddress] reads it.
func IsQueueAddress(text string) bool {
	_, ok := ParseQueueAddress(text)
	return ok
}

// String returns the address in the only form that [ParseQueueAddress] reads.
func (a QueueAddress) String() string {
	if a.Instance == "" {
		return queueScheme + url.PathEscape(a.App)
	}
	return queueScheme + url.PathEscape(a.App) + "/" + a.Instance
}

// isInstance reports whether name has 1 to 64 letters, digits, hyphens and underscores.
func isInstance(name string) bool {
	odd := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, odd)
}
