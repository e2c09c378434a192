package memstore

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// HoldSession implements [xxladapter.Store].
func (s *Store) HoldSession(ctx context.Context, term xxladapter.Term) error {
	for {
		if err := s.enter(ctx); err != nil {
			return err
		}
		other := s.sessions[term]
		if other == nil {
			ended := make(chan struct{})
			s.sessions[term] = ended
			s.mu.Unlock()
			<-ctx.Done()
			s.mu.Lock()
			delete(s.sessions, term)
			close(ended)
			s.mu.Unlock()
			return ctx.Err()
		}
		s.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
		}
	}
}

// AwaitSession implements [xxladapter.Store].
func (s *Store) AwaitSession(ctx context.Context, term xxladapter.Term) (waited bool, err error) {
	for {
		if err := s.enter(ctx); err != nil {
			return waited, err
		}
		other := s.sessions[term]
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
