package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A wantedText is a text that has to be fetched.
type wantedText struct {
	attempts int
	due      time.Time
}

// ClaimTexts implements [xxladapter.Store].
func (s *Store) ClaimTexts(
	ctx context.Context, limit int, again func(attempts int) time.Duration,
) ([]xxladapter.TextClaim, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	now := toMilli(s.clock())
	var due []int64
	for id, w := range s.wanted {
		if !w.due.After(now) {
			due = append(due, id)
		}
	}
	slices.SortFunc(
		due, func(a, b int64) int { return cmp.Or(s.wanted[a].due.Compare(s.wanted[b].due), cmp.Compare(a, b)) },
	)
	var claims []xxladapter.TextClaim
	for _, id := range due[:min(limit, len(due))] {
		w := s.wanted[id]
		w.attempts++
		w.due = toMilli(now.Add(again(w.attempts)))
		s.wanted[id] = w
		claims = append(claims, xxladapter.TextClaim{Log: copyLog(s.logs[id]), Attempts: w.attempts})
	}
	return claims, nil
}

// SaveTexts implements [xxladapter.Store].
func (s *Store) SaveTexts(ctx context.Context, texts []xxladapter.RunText) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()

	for _, t := range texts {
		if s.logs[t.LogID] == nil {
			continue
		}
		t.Note = xxladapter.FirstCharacters(t.Note, xxladapter.MaxTextNote)
		s.texts[t.LogID] = t
		delete(s.wanted, t.LogID)
	}
	return nil
}

// RunText implements [xxladapter.Store].
func (s *Store) RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()

	t, ok := s.texts[logID]
	if !ok {
		return nil, xxladapter.NotFoundf(errorrule.NoText, "no log of run %d is stored", logID)
	}
	return &t, nil
}
