package memstore

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// ResumeJob implements [xxladapter.Store].
func (s *Store) ResumeJob(ctx context.Context, r xxladapter.Resume) (bool, error) {
	if err := s.enter(ctx); err != nil {
		return false, err
	}
	defer s.mu.Unlock()
	return s.resume(r), nil
}

func (s *Store) resume(r xxladapter.Resume) bool {
	j := s.jobs[r.JobID]
	if j == nil || !j.Waits() {
		return false
	}
	for _, f := range s.fires {
		if f.JobID == r.JobID {
			return false
		}
	}
	for _, l := range s.logs {
		if l.JobID == r.JobID && l.TriggerCode == xxladapter.ResultOK && l.HandleCode == xxladapter.ResultNone &&
			!l.TriggerTime.Before(j.TriggerLast.Truncate(time.Second)) {
			return false
		}
	}
	j.TriggerNext = toMilli(r.Next)
	return true
}
