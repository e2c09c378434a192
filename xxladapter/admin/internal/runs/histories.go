package runs

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A historyForm is a run's history as the management API shows it. Instants are by the store's
// clock and have whole milliseconds.
type historyForm struct {
	Due         time.Time              `json:"due" doc:"When the run was due."`
	TriggerType xxladapter.TriggerType `json:"triggerType"`
	Attempt     int                    `json:"attempt" doc:"1 for the first attempt, and one more with each retry."`
	Parent      int64                  `json:"parentLogId,omitempty" doc:"The run that this one retries or follows as its child."`

	Node      string     `json:"node" doc:"The scheduler that claimed the fire."`
	Term      int64      `json:"term"`
	Claimed   time.Time  `json:"claimed"`
	TakenBy   string     `json:"takenOverBy,omitempty" doc:"The scheduler that took the claimed fire over, because the first one's term had ended."`
	TakenOver *time.Time `json:"takenOver,omitempty"`

	Sent         *time.Time `json:"sent,omitempty" doc:"When the request left for the executor."`
	Acknowledged *time.Time `json:"acknowledged,omitempty" doc:"When the executor answered the request."`
	Finished     *time.Time `json:"finished,omitempty" doc:"When the result arrived."`

	Lateness int64  `json:"latenessMs" doc:"Milliseconds from due to sent, or to claimed if no request left."`
	Duration *int64 `json:"durationMs,omitempty" doc:"Milliseconds from sent to finished."`
}

func showHistory(h xxladapter.RunHistory) *historyForm {
	form := &historyForm{
		Due: h.Due, TriggerType: h.Type, Attempt: h.Attempt, Parent: h.Parent,
		Node: h.Owner.Node, Term: h.Owner.Number, Claimed: h.Claimed, TakenBy: h.TakenBy,
		TakenOver: api.Given(h.TakenOver),
		Sent:      api.Given(h.Sent), Acknowledged: api.Given(h.Acknowledged), Finished: api.Given(h.Finished),
		Lateness: h.Lateness().Milliseconds(),
	}
	if d, ok := h.Duration(); ok {
		ms := d.Milliseconds()
		form.Duration = &ms
	}
	return form
}
