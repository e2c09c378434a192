package memstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// HoldPresence implements [xxladapter.Store].
func (s *Store) HoldPresence(ctx context.Context, term xxladapter.Term) error {
	for {
		if err := s.enter(ctx); err != nil {
			return err
		}
		other := s.present[term]
		if other == nil {
			ended := make(chan struct{})
			s.present[term] = ended
			s.mu.Unlock()
			err := errClosed
			select {
			case <-ctx.Done():
				err = ctx.Err()
			case <-s.ended:
			}
			s.mu.Lock()
			delete(s.present, term)
			close(ended)
			s.mu.Unlock()
			return err
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
		}
	}
}

// AwaitAbsence implements [xxladapter.Store].
func (s *Store) AwaitAbsence(ctx context.Context, term xxladapter.Term) (waited bool, err error) {
	for {
		if err := s.enter(ctx); err != nil {
			return waited, err
		}
		other := s.present[term]
		s.mu.Unlock()
		if other == nil {
			return waited, nil
		}
		waited = true
		select {
		case <-other:
		case <-ctx.Done():
		}
	}
}
