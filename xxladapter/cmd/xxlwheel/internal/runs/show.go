package runs

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/triggermsg"
)

// A View is a run as the API returns it.
type View struct {
	ID          int64      `json:"id"`
	JobGroup    int64      `json:"jobGroup"`
	JobID       int64      `json:"jobId"`
	Address     string     `json:"executorAddress"`
	Handler     string     `json:"executorHandler"`
	Param       string     `json:"executorParam"`
	Sharding    string     `json:"executorShardingParam"`
	RetryCount  int        `json:"executorFailRetryCount"`
	TriggerTime *time.Time `json:"triggerTime"`
	TriggerCode int        `json:"triggerCode"`
	TriggerMsg  string     `json:"triggerMsg"`
	HandleTime  *time.Time `json:"handleTime"`
	HandleCode  int        `json:"handleCode"`
	HandleMsg   string     `json:"handleMsg"`
	AlarmStatus int        `json:"alarmStatus"`
	Status      string     `json:"status"`

	History *historyView `json:"history"`

	Related []relatedView `json:"related"`
}

// A relatedView is a run that belongs together with another one, as the API returns it.
type relatedView struct {
	LogID, JobID         int64
	JobName, Kin, Status string
	Shard                string `json:"executorShardingParam"`
	Attempt              int
}

// kinWords are the names of a table's rows.
var kinWords = map[string]string{
	"PARENT": "triggered by", "SHARD": "shard", "ATTEMPT": "attempt", "REPEAT": "repeated by", "CHILD": "triggered",
}

func (r *relatedView) row() []string {
	text := fmt.Sprintf("run %d, job %d %s, attempt %d", r.LogID, r.JobID, r.JobName, r.Attempt)
	if r.Shard != "" {
		text += ", shard " + r.Shard
	}
	return []string{kinWords[r.Kin], text + ": " + r.Status}
}

// A historyView is the history of a run as the API returns it.
type historyView struct {
	Due, Claimed                              time.Time
	TakenOver, Sent, Acknowledged, Finished   *time.Time
	TriggerType, Node, TakenOverBy            string
	Attempt                                   int
	Term, ParentLogID, LatenessMs, DurationMs int64
}

// noHistory explains a run without a history.
const noHistory = "unknown: another program handed this run over"

// rows returns the rows of a table that show the history.
func (h *historyView) rows() [][]string {
	if h == nil {
		return [][]string{{"due", noHistory}}
	}
	rows := [][]string{
		{"due", printing.Instant(h.Due)}, {"late by", lateness(h)}, {"trigger", h.TriggerType},
		{"attempt", fmt.Sprint(h.Attempt)},
	}
	if h.ParentLogID != 0 {
		rows = append(rows, []string{"follows run", fmt.Sprint(h.ParentLogID)})
	}
	rows = append(
		rows, []string{"claimed", fmt.Sprintf("%s by %s in term %d", printing.Instant(h.Claimed), h.Node, h.Term)},
	)
	if h.TakenOver != nil {
		rows = append(
			rows, []string{"taken over", fmt.Sprintf("%s by %s", printing.Instant(*h.TakenOver), h.TakenOverBy)},
		)
	}
	for _, at := range []struct {
		name string
		at   *time.Time
	}{{"sent", h.Sent}, {"answered", h.Acknowledged}, {"finished", h.Finished}} {
		if at.at != nil {
			rows = append(rows, []string{at.name, printing.Instant(*at.at)})
		}
	}
	return rows
}

// lateness formats how late a run was, as far as it is known.
func lateness(h *historyView) string {
	if h == nil {
		return "-"
	}
	return (time.Duration(h.LatenessMs) * time.Millisecond).String()
}

// Message returns the handler's final message, or why there was no run.
func (l *View) Message() string {
	if l.HandleCode == 0 && l.TriggerCode != 0 && l.TriggerCode != 200 {
		return printing.Plain(triggermsg.Reason(l.TriggerMsg))
	}
	return l.HandleMsg
}

// alarmStatuses names XXL-JOB's values.
var alarmStatuses = map[int]string{
	0: "not checked yet", 1: "none needed", 2: "sent", 3: "sending failed", -1: "in progress",
}

type showCmd struct{ RunID }

func (c *showCmd) Run(inv *command.Invocation, parent *Cmd) error {
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "GET", c.Path("?related=true"), nil, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var l View
	if err := json.Unmarshal(raw, &l); err != nil {
		return err
	}
	alarm := alarmStatuses[l.AlarmStatus]
	if alarm == "" {
		alarm = fmt.Sprint(l.AlarmStatus)
	}
	ended := printing.Time(l.HandleTime)
	if l.TriggerTime != nil && l.HandleTime != nil {
		ended += fmt.Sprintf(" (after %v)", l.HandleTime.Sub(*l.TriggerTime))
	}
	rows := [][]string{
		{"id", fmt.Sprint(l.ID)}, {"job", fmt.Sprint(l.JobID)}, {"group", fmt.Sprint(l.JobGroup)}, {"status", l.Status},
		{"executor", l.Address}, {"handler", l.Handler}, {"param", l.Param},
	}
	if l.Sharding != "" {
		rows = append(rows, []string{"shard", l.Sharding})
	}
	rows = append(rows, l.History.rows()...)
	rows = append(rows,
		[]string{"retries left", fmt.Sprint(l.RetryCount)},
		[]string{"triggered", printing.Time(l.TriggerTime)}, []string{"trigger code", fmt.Sprint(l.TriggerCode)},
		[]string{"ended", ended}, []string{"result code", fmt.Sprint(l.HandleCode)}, []string{"alarm", alarm},
		[]string{"message", l.Message()},
	)
	for i := range l.Related {
		rows = append(rows, l.Related[i].row())
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print(rows)
	if text := printing.Plain(triggermsg.Plain(l.TriggerMsg)); text != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", "\n  "), "  \n", "\n")
		fmt.Fprintf(inv.Stdout, "\nhand-over\n  %s\n", text)
	}
	return nil
}
