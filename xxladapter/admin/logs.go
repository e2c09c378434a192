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

	Status xxladapter.LogStatus `json:"status" doc:"The meaning of triggerCode and handleCode."`
}

func showLogForm(l *xxladapter.Log) logForm {
	return logForm{
		l.ID, l.GroupID, l.JobID, l.Address, l.Handler, l.Param, l.Sharding, l.RetryCount,
		given(l.TriggerTime), l.TriggerCode, l.TriggerMsg, given(l.HandleTime), l.HandleCode, l.HandleMsg, l.AlarmStatus,
		l.Status(),
	}
}

type logQuery struct {
	page
	Job    int64                `query:"job" doc:"Only runs of this job."`
	Group  int64                `query:"group" doc:"Only runs of jobs of this group."`
	Status xxladapter.LogStatus `query:"status" doc:"Only runs with this status."`
	Since  time.Time            `query:"since" doc:"Only runs triggered at or after this instant."`
	Before time.Time            `query:"before" doc:"Only runs triggered before this instant."`
	Newest bool                 `query:"newest" doc:"List the newest first."`
}

type logList struct {
	Logs []logForm `json:"logs"`
	Next int64     `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

func (s *Server) listLogs(ctx context.Context, q logQuery) (logList, error) {
	if err := q.Status.Validate(); err != nil {
		return logList{}, err
	}
	logs, err := s.opts.Store.Logs(ctx, xxladapter.LogFilter{
		JobID: q.Job, GroupID: q.Group, Status: q.Status, Since: q.Since, Before: q.Before, AfterID: q.After, Newest: q.Newest, Limit: q.limit() + 1,
	})
	logs, next := cutPage(logs, q.limit(), func(l *xxladapter.Log) int64 { return l.ID })
	forms := make([]logForm, len(logs))
	for i, l := range logs {
		forms[i] = showLogForm(l)
	}
	return logList{forms, next}, err
}

func (s *Server) showLog(ctx context.Context, path idPath) (form logForm, err error) {
	l, err := s.log(ctx, path.ID)
	if err != nil {
		return form, err
	}
	return showLogForm(l), nil
}

func (s *Server) log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	l, err := s.opts.Store.Log(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, xxladapter.NotFoundf("log %d does not exist", id)
	}
	return l, err
}
