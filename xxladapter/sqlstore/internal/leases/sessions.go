package leases

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// sessions are connections of a database server that hold locks by name. The server releases a lock
// when its connection ends, which it notices at once if only the process at the other end has died.
type sessions interface {
	// Hold holds a lock of this name, as HoldPresence does.
	Hold(ctx context.Context, name string) error
	// Await waits for a lock of this name, as AwaitAbsence does.
	Await(ctx context.Context, name string) (waited bool, err error)
}

// HoldPresence implements [xxladapter.Store].
func (s *Store) HoldPresence(ctx context.Context, term xxladapter.Term) error {
	if err := s.admitsSessions(ctx); err != nil {
		return err
	}
	return s.Sessions.Hold(ctx, presenceName(term))
}

// AwaitAbsence implements [xxladapter.Store].
func (s *Store) AwaitAbsence(ctx context.Context, term xxladapter.Term) (waited bool, err error) {
	if err := s.admitsSessions(ctx); err != nil {
		return false, err
	}
	return s.Sessions.Await(ctx, presenceName(term))
}

// admitsSessions returns an error if a call may not begin. Close does not wait for these calls: it
// closes their connections.
func (s *Store) admitsSessions(ctx context.Context) error {
	if err := s.db.Enter(ctx); err != nil {
		return err
	}
	s.db.Leave()
	if s.Sessions == nil {
		return errors.ErrUnsupported
	}
	return nil
}

// presenceName returns the name of a term's lock. The node and number are hashed because MySQL
// allows 64 characters. Node names are unique, so the name does not contain the database.
func presenceName(term xxladapter.Term) string {
	return fmt.Sprintf("xxlwheel-%.20x", sha256.Sum256(fmt.Appendf(nil, "%s %d", term.Node, term.Number)))
}
