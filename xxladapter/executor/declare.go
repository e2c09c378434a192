package executor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A Job is a job that a service declares from its own code, see [Executor.Declare]. A field that is
// zero has the scheduler's default.
type Job struct {
	// Key names the job within the group: 1 to 64 letters, digits, dots, hyphens and underscores.
	// Another key is another job.
	Key string `json:"key"`
	// Name is shown to people; empty means the key.
	Name string `json:"name,omitempty"`
	// Author is at most 64 characters; empty means the app name.
	Author string `json:"author"`
	// Running switches the schedule of a new job on. An existing job's stays on or off: operators
	// decide that.
	Running bool `json:"running,omitempty"`
	// Overwrite also changes the job if somebody else has edited or created it. Otherwise such a
	// job stays as it is. A job that a file has declared always stays as it is.
	Overwrite bool `json:"-"`

	// AlarmEmail is a list of addresses separated by commas.
	AlarmEmail      string                     `json:"alarmEmail,omitempty"`
	ScheduleType    xxladapter.ScheduleType    `json:"scheduleType,omitempty"`
	ScheduleConf    string                     `json:"scheduleConf,omitempty"`
	MisfireStrategy xxladapter.MisfireStrategy `json:"misfireStrategy,omitempty"`

	Route xxladapter.RouteStrategy `json:"executorRouteStrategy,omitempty"`
	// Handler is the name given to [Executor.Handle]; empty means the key.
	Handler string                   `json:"executorHandler"`
	Param   string                   `json:"executorParam,omitempty"`
	Block   xxladapter.BlockStrategy `json:"executorBlockStrategy,omitempty"`
	// Timeout limits a run, in whole seconds; 0 means no limit.
	Timeout time.Duration `json:"-"`
	// RetryCount is the number of further attempts after a failed run.
	RetryCount int `json:"executorFailRetryCount,omitempty"`

	// Children are keys of jobs of the same group that are triggered when a run succeeds.
	Children []string             `json:"children,omitempty"`
	Tags     []string             `json:"tags,omitempty"`
	Settings *xxladapter.Settings `json:"settings,omitempty"`
}

// MarshalJSON returns the job as a scheduler reads it.
func (j Job) MarshalJSON() ([]byte, error) {
	type plain Job
	return json.Marshal(struct {
		plain
		Timeout int64 `json:"executorTimeout,omitempty"`
	}{plain(j), int64(j.Timeout / time.Second)})
}

// Declare makes Run create and change jobs of the executor's own group at the scheduler, all or
// nothing, once it serves. The scheduler must permit that (xxlwheel serve --allow-declare), and
// AccessToken must be the group's own.
//
// A job that is no longer declared is not deleted. A job whose fields somebody else has edited
// since it was declared stays as it is, and the logger gets a warning, until it is edited back or
// [Job].Overwrite is set. Errors of the scheduler are logged, and the jobs are sent again after
// pauses of up to five minutes; handlers run meanwhile.
//
// Declare must be called before Run, and may be called several times. It refuses an invalid key, a
// key that was declared before, and a Timeout that is not whole seconds.
func (e *Executor) Declare(jobs ...Job) error {
	switch {
	case e.ran.Load():
		return errors.New("executor: Declare was called after Run")
	case !e.opts.hasSchedulers():
		return invalid("Admins", "", "must be set for jobs to be declared")
	case e.opts.AccessToken == "":
		return errors.New("executor: Options.AccessToken is empty, must be that of the group for jobs to be declared")
	}
	e.declaring.Lock()
	defer e.declaring.Unlock()
	declared := slices.Clone(e.declared)
	for _, j := range jobs {
		if err := xxladapter.CheckJobKey("Key", j.Key); err != nil {
			return fmt.Errorf("executor: Job.%w", err)
		}
		if slices.ContainsFunc(declared, func(other Job) bool { return other.Key == j.Key }) {
			return fmt.Errorf("executor: Job.Key is %q, must be declared once", j.Key)
		}
		if j.Timeout%time.Second != 0 {
			return fmt.Errorf("executor: Job.Timeout of %q is %v, must be whole seconds", j.Key, j.Timeout)
		}
		setZero(&j.Author, e.opts.AppName)
		setZero(&j.Handler, j.Key)
		declared = append(declared, j)
	}
	e.declared = declared
	return nil
}

// Pauses between two attempts to declare jobs.
const (
	firstDeclarePause = time.Second
	lastDeclarePause  = 5 * time.Minute
)

// A declareResult is the part of the reply's payload that is logged.
type declareResult struct {
	Changes []struct {
		Action, Key string
		ID          int64
	}
	Unchanged int
	Kept      []struct {
		Key, Reason string
		ID          int64
	}
}

// sendDeclared declares the jobs at a scheduler, until one accepts them or ctx ends.
func (e *Executor) sendDeclared(ctx context.Context, a *admins) {
	e.declaring.Lock()
	jobs := e.declared
	e.declaring.Unlock()
	if len(jobs) == 0 {
		return
	}
	form := struct {
		Jobs      []Job    `json:"jobs"`
		Overwrite []string `json:"overwrite,omitempty"`
	}{Jobs: jobs}
	for _, j := range jobs {
		if j.Overwrite {
			form.Overwrite = append(form.Overwrite, j.Key)
		}
	}
	pause, last := newPause(firstDeclarePause, lastDeclarePause), ""
	for {
		payload, err := a.callFor(ctx, wire.OpDeclare, sameBody(form))
		if err == nil {
			e.logDeclared(payload)
			return
		}
		if ctx.Err() != nil {
			return
		}
		if err.Error() != last {
			e.opts.Logger.Error("no admin accepts the declared jobs; retrying", "err", err)
			last = err.Error()
		}
		sleep(ctx, pause.next())
		if ctx.Err() != nil {
			return
		}
	}
}

// logDeclared logs what a declaration has changed.
func (e *Executor) logDeclared(payload json.RawMessage) {
	var result declareResult
	if err := json.Unmarshal(payload, &result); err != nil {
		e.opts.Logger.Warn("jobs declared, but the reply cannot be read", "err", err)
		return
	}
	for _, c := range result.Changes {
		e.opts.Logger.Info("job declared", "action", c.Action, "key", c.Key, "job", c.ID)
	}
	for _, k := range result.Kept {
		e.opts.Logger.Warn(
			"declared job stays as it is at the scheduler", "key", k.Key, "job", k.ID, "reason", k.Reason,
		)
	}
	e.opts.Logger.Info(
		"jobs declared", "changed", len(result.Changes), "unchanged", result.Unchanged, "kept", len(result.Kept),
	)
}
