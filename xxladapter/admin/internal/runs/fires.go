package runs

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A fireForm is a fire that is not settled, as the management API shows it.
type fireForm struct {
	ID         int64                  `json:"id"`
	JobID      int64                  `json:"jobId"`
	JobName    string                 `json:"jobName,omitempty"`
	Due        time.Time              `json:"due"`
	Type       xxladapter.TriggerType `json:"triggerType"`
	State      xxladapter.FireState   `json:"state"`
	ShardIndex int                    `json:"shardIndex"`
	ShardTotal int                    `json:"shardTotal" doc:"0 until the fire is claimed."`
	RetryCount *int                   `json:"retryCount,omitempty" doc:"Attempts left; omitted if they are the job's."`
	Param      *string                `json:"executorParam,omitempty" doc:"Omitted if it is the job's."`
	Addresses  []string               `json:"addressList,omitempty" doc:"Omitted if they are the group's."`
	Node       string                 `json:"node,omitempty" doc:"The scheduler that claimed it."`
	Term       int64                  `json:"term,omitempty" doc:"The term of that scheduler."`
	LogID      int64                  `json:"logId,omitempty"`
	Claimed    *time.Time             `json:"claimed,omitempty"`
}

func showFire(f *xxladapter.Fire) fireForm {
	form := fireForm{
		ID: f.ID, JobID: f.JobID, Due: f.Due, Type: f.Type, State: f.State, ShardIndex: f.ShardIndex,
		ShardTotal: f.ShardTotal,
		Param:      f.Param, Addresses: f.Addresses, Node: f.Owner.Node, Term: f.Owner.Number, LogID: f.LogID,
		Claimed: api.Given(f.Claimed),
	}
	if f.RetryCount >= 0 {
		form.RetryCount = &f.RetryCount
	}
	return form
}

// A fireQuery pages by due time and id, since due times do not ascend with ids.
type fireQuery struct {
	Job      int64                `query:"job" doc:"Only fires of this job."`
	State    xxladapter.FireState `query:"state" doc:"Only fires in this state."`
	AfterDue time.Time            `query:"afterDue" doc:"The due time of the last fire of the previous page; requires afterId."`
	AfterID  int64                `query:"afterId" doc:"The id of that fire."`
	Limit    int                  `query:"limit" doc:"Maximum number of entries, at most 1000 (the default)."`
}

type fireList struct {
	Fires []fireForm `json:"fires"`
	More  bool       `json:"more,omitempty" doc:"True if more fires follow."`
}

func (s *Server) listFires(ctx context.Context, q fireQuery) (no fireList, err error) {
	if err := q.State.Validate(); err != nil {
		return no, err
	}
	if q.AfterDue.IsZero() != (q.AfterID == 0) {
		return no, xxladapter.Invalidf(errorrule.BothOrNeither, "only one of %s is given, must be both or neither",
			errorrule.And{"afterDue", "afterId"})
	}
	limit := api.Page{Limit: q.Limit}.Size()
	fires, err := s.opts.Store.OpenFires(ctx, xxladapter.FireFilter{
		JobID: q.Job, State: q.State, AfterDue: q.AfterDue, AfterID: q.AfterID, Limit: limit + 1,
	})
	more := len(fires) > limit
	fires = fires[:min(len(fires), limit)]
	if err != nil {
		return no, err
	}
	jobs := map[int64]bool{}
	for i := range fires {
		jobs[fires[i].JobID] = true
	}
	names, err := s.opts.Store.JobNames(ctx, slices.Collect(maps.Keys(jobs)), nil)
	forms := make([]fireForm, len(fires))
	for i := range fires {
		forms[i] = showFire(&fires[i])
		forms[i].JobName = names[fires[i].JobID]
	}
	return fireList{forms, more}, err
}

// A MisfireForm shows due times that got no fire of their own.
type MisfireForm struct {
	ID       int64                      `json:"id"`
	JobID    int64                      `json:"jobId"`
	Due      time.Time                  `json:"due" doc:"The first due time concerned."`
	Until    time.Time                  `json:"until" doc:"The last due time concerned."`
	Strategy xxladapter.MisfireStrategy `json:"misfireStrategy,omitempty" doc:"What decided; omitted with the kind lost, where nothing did."`
	At       time.Time                  `json:"at" doc:"When it was noticed."`

	Kind     xxladapter.MisfireKind `json:"kind" doc:"late: found too late, the strategy decided. paused: in a pause. excluded: on a day without work of the job's calendar. lost: may have been sent, but the store has lost the record."`
	PauseID  int64                  `json:"pauseId,omitempty" doc:"The pause."`
	Calendar string                 `json:"calendar,omitempty" doc:"The calendar."`
}

// ShowMisfire returns a misfire as the management API shows it.
func ShowMisfire(m *xxladapter.Misfire) MisfireForm {
	kind, strategy := m.Kind(), m.Strategy
	if kind == xxladapter.MisfireLost {
		strategy = ""
	}
	return MisfireForm{
		ID: m.ID, JobID: m.JobID, Due: m.Due, Until: m.Until, Strategy: strategy, At: m.At,
		Kind: kind, PauseID: m.PauseID, Calendar: m.Calendar,
	}
}

type misfireList struct {
	Misfires []MisfireForm `json:"misfires"`
	Next     int64         `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

type misfireQuery struct {
	api.IDPath
	api.Page
	Newest bool `query:"newest" doc:"List the newest first."`
}

func (s *Server) listMisfires(ctx context.Context, q misfireQuery) (no misfireList, err error) {
	if _, err := s.opts.Job(ctx, q.ID); err != nil {
		return no, err
	}
	misfires, err := s.opts.Store.Misfires(ctx, xxladapter.MisfireFilter{
		JobID: q.ID, AfterID: q.After, Newest: q.Newest, Limit: q.Size() + 1,
	})
	misfires, next := api.CutPage(misfires, q.Size(), func(m xxladapter.Misfire) int64 { return m.ID })
	forms := make([]MisfireForm, len(misfires))
	for i := range misfires {
		forms[i] = ShowMisfire(&misfires[i])
	}
	return misfireList{forms, next}, err
}
