package admin

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A logForm is a log row as the management API shows it.
type logForm struct {
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
}

func showLogForm(l *xxladapter.Log, histories map[int64]xxladapter.RunHistory) logForm {
	form := logForm{
		l.ID, l.GroupID, l.JobID, l.Address, l.Handler, l.Param, l.Sharding, l.RetryCount,
		given(l.TriggerTime), l.TriggerCode, l.TriggerMsg, given(l.HandleTime), l.HandleCode, l.HandleMsg, l.AlarmStatus,
		l.Status(), nil,
	}
	if h, known := histories[l.ID]; known {
		form.History = showHistory(h)
	}
	return form
}

func (s *Server) showLog(ctx context.Context, path idPath) (form logForm, err error) {
	l, err := s.log(ctx, path.ID)
	if err != nil {
		return form, err
	}
	histories, err := s.opts.Store.RunHistories(ctx, []int64{l.ID})
	return showLogForm(l, histories), err
}

// log returns a log row for which the caller has the role that the call needs.
func (s *Server) log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	l, err := s.opts.Store.Log(ctx, id)
	absent := xxladapter.NotFoundf("log %d does not exist", id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	return l, allow(ctx, l.GroupID, absent)
}
