package journaled

import (
	"context"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The calls below use only tables of which the memory holds nothing, so that no other call waits
// while a user signs in.

// CreateUser implements [xxladapter.Store].
func (s *Store) CreateUser(ctx context.Context, u *xxladapter.User, first bool) (int64, error) {
	return s.Store.CreateUser(with(ctx, apart), u, first)
}

// UpdateUser implements [xxladapter.Store].
func (s *Store) UpdateUser(ctx context.Context, id int64, c xxladapter.UserChange) error {
	return s.Store.UpdateUser(with(ctx, apart), id, c)
}

// RemoveUser implements [xxladapter.Store].
func (s *Store) RemoveUser(ctx context.Context, id int64) error {
	return s.Store.RemoveUser(with(ctx, apart), id)
}

// UpstreamUsers implements [xxladapter.Store].
func (s *Store) UpstreamUsers(ctx context.Context, name string) ([]xxladapter.UpstreamUser, error) {
	return s.Store.UpstreamUsers(with(ctx, apart), name)
}

// CreateCredential implements [xxladapter.Store].
func (s *Store) CreateCredential(ctx context.Context, c *xxladapter.Credential) (int64, error) {
	return s.Store.CreateCredential(with(ctx, apart), c)
}

// RemoveCredential implements [xxladapter.Store].
func (s *Store) RemoveCredential(ctx context.Context, userID, id int64) error {
	return s.Store.RemoveCredential(with(ctx, apart), userID, id)
}

// PurgeJobVersions implements [xxladapter.Store].
func (s *Store) PurgeJobVersions(ctx context.Context, before time.Time, limit int) (int, error) {
	return s.Store.PurgeJobVersions(with(ctx, apart), before, limit)
}
