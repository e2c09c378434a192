package alarm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	// pageLimit limits the failed runs of one query. pollLimit limits the failed runs, and the
	// abandoned claims, of one poll.
	pageLimit = 1000
	pollLimit = 100_000

	// maxAge is the age beyond which a failure is no longer reported. It matters when alarms are
	// switched on after months without them.
	maxAge = 24 * time.Hour

	// claimLife is the age at which a claim counts as abandoned. It is longer than notifyLimit, so
	// that the claiming node has stopped sending for a while before another one starts.
	claimLife = 2 * time.Minute
	// maxAttempts limits how often a message that reached nobody is claimed. So many attempts take
	// more than half an hour.
	maxAttempts = 20
)

// poll finds what has to be reported, and sends it with the context sending.
func (m *Monitor) poll(ctx, sending context.Context) error {
	m.idle = false
	if err := m.unsettled.settle(ctx, m.opts.Store); err != nil {
		return err
	}
	now, err := m.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	abandoned, err := m.abandoned(ctx)
	if err != nil {
		return err
	}
	fresh, err := m.fresh(ctx, now)
	if err != nil {
		return err
	}
	m.idle = m.idle && len(abandoned) == 0
	m.notify(ctx, sending, m.pace.take(now, append(abandoned, fresh...)))
	return nil
}

// fresh reads the failed runs whose alarm is open and the successes that end a reported series of
// failures. It stores the decisions that need no message. It returns the others, except those of
// jobs that wait for the end of their window.
func (m *Monitor) fresh(ctx context.Context, now time.Time) ([]subject, error) {
	runs, err := m.failedRuns(ctx)
	if err != nil {
		return nil, err
	}
	states, err := m.states(ctx, slices.Collect(maps.Keys(runs)))
	if err != nil {
		return nil, err
	}
	m.idle = len(states) == 0
	ids := slices.Collect(maps.Keys(states))
	// Sorted by log id, so that in a storm the first failures come first.
	slices.SortFunc(ids, func(a, b int64) int {
		return cmp.Or(cmp.Compare(firstLog(runs[a]), firstLog(runs[b])), cmp.Compare(a, b))
	})

	var subjects []subject
	var silent []xxladapter.AlarmDecision
	for _, id := range ids {
		state := states[id]
		job, err := m.opts.Store.Job(ctx, id)
		if errors.Is(err, xxladapter.ErrNotFound) {
			// Removed: its rows need no alarm, as in XXL-JOB.
			job, err = &xxladapter.Job{ID: id, Settings: xxladapter.Settings{AlarmOn: xxladapter.AlarmNever}}, nil
		}
		if err != nil {
			return nil, err
		}
		steps, err := m.steps(ctx, state, runs[id], now)
		if err != nil {
			return nil, err
		}
		decisions := decide(job.Settings, state, steps, now)
		switch {
		case len(decisions) == 0:
		case !needsMessage(decisions):
			silent = append(silent, decisions...)
		case !isHeld(state.Sent, now):
			subjects = append(subjects, subject{job: job, decisions: decisions})
		}
	}
	_, err = m.decide(ctx, silent)
	return subjects, err
}

func firstLog(runs []xxladapter.FailedRun) int64 {
	if len(runs) == 0 {
		return 0
	}
	return runs[0].LogID
}

func (m *Monitor) failedRuns(ctx context.Context) (map[int64][]xxladapter.FailedRun, error) {
	start := time.Now()
	defer func() { m.listed = time.Since(start) }()
	runs := map[int64][]xxladapter.FailedRun{}
	for after, n := int64(0), 0; n < pollLimit; {
		page, err := m.opts.Store.FailedRuns(ctx, after, pageLimit)
		if err != nil {
			return nil, fmt.Errorf("list failed runs after run %d: %w", after, err)
		}
		for _, run := range page {
			runs[run.JobID] = append(runs[run.JobID], run)
			after = run.LogID
		}
		n += len(page)
		if len(page) < pageLimit {
			break
		}
	}
	return runs, nil
}

// states returns the states of the jobs, and of all jobs whose alarm is raised. It also records the
// latter, because their next success matters.
func (m *Monitor) states(ctx context.Context, jobIDs []int64) (map[int64]xxladapter.AlarmState, error) {
	list, err := m.opts.Store.AlarmStates(ctx, jobIDs)
	if err != nil {
		return nil, fmt.Errorf("list alarm states: %w", err)
	}
	states := map[int64]xxladapter.AlarmState{}
	for _, state := range list {
		states[state.JobID] = state
		if state.Raised {
			m.raised.Store(state.JobID, nil)
		}
	}
	m.raised.Range(func(id, _ any) bool {
		if !states[id.(int64)].Raised {
			m.raised.Delete(id)
		}
		return true
	})
	return states, nil
}

// steps merges the failed runs with the first success after each of them.
func (m *Monitor) steps(
	ctx context.Context, state xxladapter.AlarmState, runs []xxladapter.FailedRun, now time.Time,
) ([]step, error) {
	success := int64(0) // the first one after the runs merged so far; 0 means none
	find := func(after int64) error {
		logs, err := m.opts.Store.Logs(ctx, xxladapter.LogFilter{
			JobID: state.JobID, Status: xxladapter.LogSuccess, AfterID: after, Limit: 1,
		})
		success = 0
		if len(logs) > 0 {
			success = logs[0].ID
		}
		return err
	}
	if state.LastID != 0 {
		if err := find(state.LastID - 1); err != nil { // the last run itself may have become a success
			return nil, err
		}
	} else if len(runs) > 0 {
		if err := find(runs[0].LogID); err != nil {
			return nil, err
		}
	}
	var steps []step
	for _, run := range runs {
		if success != 0 && success < run.LogID {
			steps = append(steps, step{logID: success, ok: true})
			if err := find(run.LogID); err != nil {
				return nil, err
			}
		}
		steps = append(steps, step{logID: run.LogID, retries: run.RetryCount, old: now.Sub(run.At) > maxAge})
	}
	if success != 0 && (state.Raised || len(steps) > 0) {
		steps = append(steps, step{logID: success, ok: true})
	}
	return steps, nil
}

// abandoned returns what a node claimed to report and never settled.
func (m *Monitor) abandoned(ctx context.Context) ([]subject, error) {
	claims, err := m.opts.Store.StaleAlarms(ctx, claimLife, pollLimit)
	if err != nil {
		return nil, fmt.Errorf("list abandoned alarms: %w", err)
	}
	var subjects []subject
	at := map[int64]int{} // by job id
	var hopeless, void []xxladapter.AlarmClaim
	for _, c := range claims {
		if c.Attempts >= maxAttempts {
			hopeless = append(hopeless, c)
			continue
		}
		i, known := at[c.JobID]
		if !known {
			job, err := m.opts.Store.Job(ctx, c.JobID)
			if errors.Is(err, xxladapter.ErrNotFound) {
				void = append(void, c)
				continue
			}
			if err != nil {
				return nil, err
			}
			i = len(subjects)
			at[c.JobID] = i
			subjects = append(subjects, subject{job: job})
		}
		subjects[i].claims = append(subjects[i].claims, c)
	}
	if len(hopeless) > 0 {
		m.logger.Error("alarms given up, no channel accepted them", "alarms", len(hopeless), "attempts", maxAttempts)
	}
	return subjects, errors.Join(
		m.settle(ctx, hopeless, xxladapter.AlarmFailed),
		m.settle(ctx, void, xxladapter.AlarmNotNeeded),
	)
}
