package runs

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// A RunForm is a run, as the API shows it.
type RunForm struct {
	ID          int64      `json:"id"`
	JobGroup    int64      `json:"jobGroup"`
	JobID       int64      `json:"jobId"`
	Address     string     `json:"executorAddress"`
	Handler     string     `json:"executorHandler"`
	Param       string     `json:"executorParam"`
	Sharding    string     `json:"executorShardingParam,omitempty"`
	RetryCount  int        `json:"executorFailRetryCount"`
	TriggerTime *time.Time `json:"triggerTime,omitempty"`
	TriggerCode int        `json:"triggerCode"`
	TriggerMsg  string     `json:"triggerMsg"`
	HandleTime  *time.Time `json:"handleTime,omitempty"`
	HandleCode  int        `json:"handleCode"`
	HandleMsg   string     `json:"handleMsg,omitempty"`
	AlarmStatus int        `json:"alarmStatus"`

	Status  xxladapter.LogStatus `json:"status" doc:"The meaning of triggerCode and handleCode."`
	History *historyForm         `json:"history,omitempty" doc:"When the run was due and what happened to it. It is missing if another program, such as a Java admin, handed the run over."`

	Related []relatedRun `json:"related,omitempty" doc:"Only with the parameter related: the run whose success triggered this one, the other shards and attempts of its fire, its repetitions, and the runs that its success triggered, of the job's present children. They are searched for among the first 1000 runs of each job since that fire."`
}

func showRunForm(l *xxladapter.Log, histories map[int64]xxladapter.RunHistory) RunForm {
	form := RunForm{
		ID: l.ID, JobGroup: l.GroupID, JobID: l.JobID, Address: l.Address, Handler: l.Handler, Param: l.Param,
		Sharding: l.Sharding, RetryCount: l.RetryCount,
		TriggerTime: api.Given(l.TriggerTime), TriggerCode: l.TriggerCode, TriggerMsg: l.TriggerMsg,
		HandleTime: api.Given(l.HandleTime), HandleCode: l.HandleCode, HandleMsg: l.HandleMsg,
		AlarmStatus: l.AlarmStatus, Status: l.Status(),
	}
	if h, known := histories[l.ID]; known {
		form.History = showHistory(h)
	}
	return form
}

type runPath struct {
	api.IDPath
	Related bool `query:"related" doc:"Also list the runs that belong together with this one."`
}

func (s *Server) showRun(ctx context.Context, path runPath) (form RunForm, err error) {
	l, err := s.Log(ctx, path.ID)
	if err != nil {
		return form, err
	}
	histories, err := s.opts.Store.RunHistories(ctx, []int64{l.ID})
	if err != nil {
		return form, err
	}
	form = showRunForm(l, histories)
	if h, known := histories[l.ID]; known && path.Related {
		form.Related, err = s.related(ctx, l, h)
	}
	return form, err
}

// Log returns a log row for which the caller has the role that the call needs.
func (s *Server) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	l, err := s.opts.Store.Log(ctx, id)
	absent := xxladapter.Absent("run", id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	return l, api.Allow(ctx, l.GroupID, absent)
}
