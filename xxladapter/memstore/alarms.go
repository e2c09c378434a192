package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A claimKey identifies a claim of an alarm.
type claimKey struct {
	logID     int64
	recovered bool
}

func keyOfClaim(c *xxladapter.AlarmClaim) claimKey { return claimKey{c.LogID, c.Recovered} }

// FailedRuns implements [xxladapter.Store].
func (s *Store) FailedRuns(ctx context.Context, after int64, limit int) ([]xxladapter.FailedRun, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	var failed []xxladapter.FailedRun
	for _, id := range slices.Sorted(maps.Keys(s.logs)) {
		l := s.logs[id]
		if id <= after || l.AlarmStatus != xxladapter.AlarmOpen || !hasFailed(l) {
			continue
		}
		if len(failed) == limit {
			break
		}
		at := l.HandleTime
		if at.IsZero() {
			at = l.TriggerTime
		}
		failed = append(failed, xxladapter.FailedRun{LogID: id, JobID: l.JobID, RetryCount: l.RetryCount, At: at})
	}
	return failed, nil
}

func hasFailed(l *xxladapter.Log) bool {
	if l.HandleCode == xxladapter.ResultNone {
		return l.TriggerCode != xxladapter.ResultNone && l.TriggerCode != xxladapter.ResultOK
	}
	return l.HandleCode != xxladapter.ResultOK
}

// AlarmStates implements [xxladapter.Store].
func (s *Store) AlarmStates(ctx context.Context, jobIDs []int64) ([]xxladapter.AlarmState, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	listed := map[int64]bool{}
	for _, id := range jobIDs {
		listed[id] = true
	}
	for id, state := range s.alarms {
		if state.Raised {
			listed[id] = true
		}
	}
	var states []xxladapter.AlarmState
	for _, id := range slices.Sorted(maps.Keys(listed)) {
		states = append(states, s.alarmState(id))
	}
	return states, nil
}

func (s *Store) alarmState(jobID int64) xxladapter.AlarmState {
	if state := s.alarms[jobID]; state != nil {
		return *state
	}
	return xxladapter.AlarmState{JobID: jobID}
}

// DecideAlarms implements [xxladapter.Store].
func (s *Store) DecideAlarms(
	ctx context.Context, node string, decisions []xxladapter.AlarmDecision,
) ([]xxladapter.AlarmClaim, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	var claimed []xxladapter.AlarmClaim
	claim := func(jobID, logID int64, recovered bool) {
		c := xxladapter.AlarmClaim{LogID: logID, JobID: jobID, Recovered: recovered, Node: node, At: now, Attempts: 1}
		kept := c
		s.claims[keyOfClaim(&c)] = &kept
		claimed = append(claimed, c)
	}
	for _, d := range decisions {
		if s.alarmState(d.Before.JobID).Version != d.Before.Version {
			continue
		}
		after := d.After
		after.JobID, after.Version, after.Sent = d.Before.JobID, d.Before.Version+1, toMilli(d.After.Sent)
		s.alarms[after.JobID] = &after
		for _, id := range d.Quiet {
			s.setAlarm(id, xxladapter.AlarmOpen, xxladapter.AlarmNotNeeded)
		}
		for _, id := range d.Alarm {
			if s.setAlarm(id, xxladapter.AlarmOpen, xxladapter.AlarmTaken) {
				claim(after.JobID, id, false)
			}
		}
		if d.Recovered != 0 {
			claim(after.JobID, d.Recovered, true)
		}
	}
	return claimed, nil
}

// setAlarm changes the alarm status of a row from one value to another. It reports whether the row
// had the former.
func (s *Store) setAlarm(logID int64, from, to int) bool {
	l := s.logs[logID]
	if l == nil || l.AlarmStatus != from {
		return false
	}
	l.AlarmStatus = to
	return true
}

// StaleAlarms implements [xxladapter.Store].
func (s *Store) StaleAlarms(ctx context.Context, age time.Duration, limit int) ([]xxladapter.AlarmClaim, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	until := toMilli(s.clock().Add(-age))
	var stale []xxladapter.AlarmClaim
	for _, c := range s.claims {
		if !c.At.After(until) {
			stale = append(stale, *c)
		}
	}
	slices.SortFunc(stale, func(a, b xxladapter.AlarmClaim) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.LogID, b.LogID))
	})
	if len(stale) > limit {
		stale = stale[:limit]
	}
	return stale, nil
}

// RenewAlarms implements [xxladapter.Store].
func (s *Store) RenewAlarms(
	ctx context.Context, node string, claims []xxladapter.AlarmClaim,
) ([]xxladapter.AlarmClaim, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	var renewed []xxladapter.AlarmClaim
	for _, c := range claims {
		if kept := s.claims[keyOfClaim(&c)]; kept != nil && isSameClaim(kept, &c) {
			kept.Node, kept.At = node, now
			kept.Attempts++
			renewed = append(renewed, *kept)
		}
	}
	return renewed, nil
}

// SettleAlarms implements [xxladapter.Store].
func (s *Store) SettleAlarms(ctx context.Context, claims []xxladapter.AlarmClaim, status int) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	for _, c := range claims {
		kept := s.claims[keyOfClaim(&c)]
		if kept == nil || !isSameClaim(kept, &c) {
			continue
		}
		delete(s.claims, keyOfClaim(&c))
		if !c.Recovered {
			s.setAlarm(c.LogID, xxladapter.AlarmTaken, status)
		}
	}
	return nil
}

// isSameClaim reports whether the claim has not been renewed since it was read.
func isSameClaim(kept, read *xxladapter.AlarmClaim) bool {
	return kept.Node == read.Node && kept.Attempts == read.Attempts
}
