package admin

import (
	"errors"
	"net/http"
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
}

func showLogForm(l *xxladapter.Log) logForm {
	return logForm{
		l.ID, l.GroupID, l.JobID, l.Address, l.Handler, l.Param, l.Sharding, l.RetryCount,
		given(l.TriggerTime), l.TriggerCode, l.TriggerMsg, given(l.HandleTime), l.HandleCode, l.HandleMsg, l.AlarmStatus,
	}
}

// maxLogs is how many rows one answer has at the most, and without a limit.
const maxLogs = 1000

func (s *Server) listLogs(r *http.Request) (any, error) {
	var numbers [3]int64
	for i, name := range []string{"job", "after", "limit"} {
		var err error
		if numbers[i], err = queryInt(r, name); err != nil {
			return nil, err
		}
	}
	limit := int(numbers[2])
	if limit == 0 || limit > maxLogs {
		limit = maxLogs
	}
	logs, err := s.opts.Store.Logs(r.Context(), xxladapter.LogFilter{
		JobID: numbers[0], AfterID: numbers[1], Newest: r.URL.Query().Has("newest"), Limit: limit,
	})
	if err != nil {
		return nil, err
	}
	forms := make([]logForm, len(logs))
	for i, l := range logs {
		forms[i] = showLogForm(l)
	}
	return map[string]any{"logs": forms}, nil
}

func (s *Server) showLog(r *http.Request) (any, error) {
	l, err := s.logOf(r)
	if err != nil {
		return nil, err
	}
	return showLogForm(l), nil
}

// logOf loads the row that the path names.
func (s *Server) logOf(r *http.Request) (*xxladapter.Log, error) {
	id, err := pathID(r)
	if err != nil {
		return nil, err
	}
	l, err := s.opts.Store.Log(r.Context(), id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, xxladapter.NotFoundf("log %d does not exist", id)
	}
	return l, err
}
