package alarm

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/triggermsg"
)

const (
	// jobsShown limits the jobs that a message describes. runsShown limits the runs in a message
	// about a single job; a message about several jobs describes one run of each.
	jobsShown = 20
	runsShown = 3
	// reasonLimit limits how much of a run's message is shown, in bytes.
	reasonLimit = 1500
)

// describe returns the alarm about claimed runs, with what the store knows of their jobs and logs.
func (m *Monitor) describe(
	ctx context.Context, kind Kind, subjects []subject, claims []xxladapter.AlarmClaim,
) (*Alarm, error) {
	now, err := m.opts.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	byJob := map[int64][]xxladapter.AlarmClaim{}
	var runs []int64
	for _, c := range claims {
		byJob[c.JobID] = append(byJob[c.JobID], c)
		runs = append(runs, c.LogID)
	}
	a := &Alarm{ID: idOf(kind, runs), Kind: kind, At: now.UTC(), Source: m.opts.Source}
	shown := 1
	if len(byJob) == 1 {
		shown = runsShown
	}
	for _, s := range subjects {
		of := byJob[s.job.ID]
		if len(of) == 0 {
			continue
		}
		delete(byJob, s.job.ID) // a job may have two subjects: new runs and abandoned ones
		for _, email := range SplitEmails(s.job.AlarmEmail) {
			if !slices.Contains(a.Emails, email) {
				a.Emails = append(a.Emails, email)
			}
		}
		if len(a.Jobs) == jobsShown {
			a.MoreJobs++
			a.MoreRuns += len(of)
			continue
		}
		job, err := m.describeJob(ctx, s.job)
		if err != nil {
			return nil, err
		}
		if kind == Failed {
			job.InARow = inARow(s.job.ID, subjects)
		}
		slices.SortFunc(of, func(x, y xxladapter.AlarmClaim) int { return cmp.Compare(y.LogID, x.LogID) })
		for _, c := range of[:min(shown, len(of))] {
			run, err := m.describeRun(ctx, c)
			if errors.Is(err, xxladapter.ErrNotFound) {
				run, err = Run{LogID: c.LogID}, nil // the log was cleared meanwhile
			}
			if err != nil {
				return nil, err
			}
			job.Runs = append(job.Runs, run)
		}
		a.MoreRuns += len(of) - len(job.Runs)
		a.Jobs = append(a.Jobs, job)
	}
	return a, nil
}

// idOf returns the id of a message about runs: the first one, and a digest of all if there are
// several. A repetition may be about more runs, which its receivers do not know yet.
func idOf(kind Kind, runs []int64) string {
	slices.Sort(runs)
	id := fmt.Sprintf("%s-%d", kind, runs[0])
	if len(runs) > 1 {
		sum := sha256.Sum256([]byte(fmt.Sprint(runs)))
		id += "-" + hex.EncodeToString(sum[:4])
	}
	return id
}

func (m *Monitor) describeJob(ctx context.Context, job *xxladapter.Job) (Job, error) {
	j := Job{ID: job.ID, Name: job.Name, Author: job.Author}
	group, err := m.opts.Store.Group(ctx, job.GroupID)
	switch {
	case err == nil:
		j.App = group.AppName
	case !errors.Is(err, xxladapter.ErrNotFound):
		return Job{}, err
	}
	return j, nil
}

// inARow returns how often a job has failed in a row, or 0 if all its runs were abandoned: only
// decisions say it.
func inARow(jobID int64, subjects []subject) (n int) {
	for _, s := range subjects {
		if s.job.ID != jobID {
			continue
		}
		for _, d := range s.decisions {
			n = max(n, d.After.InARow)
		}
	}
	return n
}

func (m *Monitor) describeRun(ctx context.Context, c xxladapter.AlarmClaim) (Run, error) {
	l, err := m.opts.Store.Log(ctx, c.LogID)
	if err != nil {
		return Run{}, err
	}
	run := Run{
		LogID: l.ID, At: l.HandleTime, Address: l.Address, Handler: l.Handler, Param: cutText(l.Param, 200),
		Sharding: l.Sharding,
		Code:     l.HandleCode,
	}
	if run.At.IsZero() {
		run.At = l.TriggerTime
	}
	if c.Recovered {
		return run, nil
	}
	run.Retries = l.RetryCount
	message := triggermsg.Plain(l.HandleMsg)
	if l.HandleCode == xxladapter.ResultNone {
		run.Code = l.TriggerCode
		message = triggermsg.Reason(l.TriggerMsg)
	}
	run.Reason = cutText(printable(message), reasonLimit)
	return run, nil
}
