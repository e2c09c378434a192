// Package triggermsg writes and reads trigger_msg, the column of a log row that says how the run
// was handed over. The text is for people, and HTML, because the Java admin's page shows it as
// such. Its lines and their order are upstream's (XxlJobTrigger.processTrigger), with more facts.
//
// The package has the labels, the escapes and the truncation for all who write or read the column:
// package trigger, alarms, the reasons of package why, and the commands. It is pure.
package triggermsg

import (
	"fmt"
	"html"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// maxValue limits the value of one line, in bytes. Three values may be long: addresses, parameter
// and result. Together they fit into MySQL's TEXT, so that the result, which comes last of the
// three and matters most, always has its line.
const maxValue = 15_000

// A Message has the facts of one hand-over.
type Message struct {
	Type      xxladapter.TriggerType
	Scheduler string // the node that handed the run over
	// Manual is set if people entered the addresses, and unset if the executors registered.
	Manual    bool
	Addresses []string // to choose from
	Route     xxladapter.RouteStrategy
	Sharding  string // such as 1/2; empty without shards
	Block     xxladapter.BlockStrategy
	Timeout   time.Duration // of the handler; 0 means none
	Retries   int           // that are left
	// Attempt counts from 1, of Attempts in all.
	Attempt, Attempts int
	Due               time.Time

	Address, Handler, Param string
	Outcome                 Outcome
	Reason                  string      // of an outcome that is not Success
	Next                    []time.Time // due times of the retries that follow
}

// An Outcome says how a hand-over ended.
type Outcome string

// The outcomes, as the line of the result begins.
const (
	Success Outcome = "success"
	Error   Outcome = "error"
	Unknown Outcome = "unknown"
)

// A Label is the beginning of a line.
type Label string

// The labels that are read as well as written.
const (
	Addresses Label = "addresses"
	Due       Label = "due"
	Result    Label = "result"
)

// String returns the message as HTML, of at most [xxladapter.MaxRowText] bytes. A long value is
// truncated.
func (m *Message) String() string {
	registration := "automatic"
	if m.Manual {
		registration = "manual"
	}
	route := string(m.Route)
	if m.Sharding != "" {
		route += "(" + m.Sharding + ")"
	}
	result := string(m.Outcome)
	if m.Outcome != Success {
		result += ", " + m.Reason
	}
	type line struct {
		label Label
		value string
	}
	lines := []line{
		{"trigger type", string(m.Type)},
		{"scheduler", m.Scheduler},
		{"registration", registration},
		{Addresses, "[" + strings.Join(m.Addresses, ", ") + "]"},
		{"route", route},
		{"block", string(m.Block)},
		{"timeout", fmt.Sprint(int(m.Timeout.Seconds()))},
		{"retries", fmt.Sprint(m.Retries)},
		{"attempt", fmt.Sprintf("%d of %d", m.Attempt, m.Attempts)},
		{Due, instant(m.Due)},
		{},
		{"address", m.Address},
		{"handler", m.Handler},
		{"param", m.Param},
		{Result, result},
	}
	for _, due := range m.Next {
		lines = append(lines, line{"next attempt", instant(due)})
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteString(lineBreak)
		}
		if line.label != "" {
			b.WriteString(string(line.label) + colon + xxladapter.CutText(html.EscapeString(line.value), maxValue))
		}
	}
	return b.String()
}

// A value never contains lineBreak, because it is escaped.
const (
	lineBreak = "<br>"
	colon     = "："
)

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
