package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// CreateUser implements [xxladapter.Store].
func (s *Store) CreateUser(ctx context.Context, u *xxladapter.User, first bool) (int64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if first && len(s.users) > 0 {
		return 0, xxladapter.Conflictf(errorrule.UsersExist, "there are users already")
	}
	for _, other := range s.users {
		if other.Name == u.Name {
			return 0, xxladapter.Conflictf(errorrule.NameTaken, "the %s %q is taken by another user", "name", u.Name)
		}
		if u.Subject != "" && other.Subject == u.Subject {
			return 0, xxladapter.Conflictf(errorrule.SubjectTaken, "the %s is taken by another user", "subject")
		}
	}
	c := copyUser(u)
	id, known := s.userNames[u.Name]
	if !known {
		s.lastUser++
		id = s.lastUser
		s.userNames[u.Name] = id
	}
	c.ID, c.Added = id, toMilli(s.clock())
	s.users[id] = c
	s.record(ctx, c.Audited(), nil, c.Fields())
	return id, nil
}

// copyUser returns a copy whose grants are sorted by group.
func copyUser(u *xxladapter.User) *xxladapter.User {
	c := *u
	c.Grants = slices.Clone(u.Grants)
	slices.SortFunc(c.Grants, func(a, b xxladapter.Grant) int { return cmp.Compare(a.GroupID, b.GroupID) })
	return &c
}

// UpdateUser implements [xxladapter.Store].
func (s *Store) UpdateUser(ctx context.Context, id int64, c xxladapter.UserChange) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	was := s.users[id]
	if was == nil {
		return noUser(id)
	}
	is, err := c.Of(was)
	if err != nil {
		return err
	}
	if !is.Administers() && s.lastAdmin(was) {
		return errLastAdmin(id)
	}
	s.users[id] = is
	s.record(ctx, is.Audited(), was.Fields(), is.Fields())
	for _, held := range s.credentialsOf(id) {
		switch {
		case c.EndSessions && held.Kind == xxladapter.CredentialSession && held.ID != c.Except:
			delete(s.credentials, held.ID)
		case c.EndTokens && held.Kind == xxladapter.CredentialToken:
			delete(s.credentials, held.ID)
			s.record(ctx, held.Audited(), held.Fields(), nil)
		}
	}
	return nil
}

// credentialsOf returns the credentials of a user, by id.
func (s *Store) credentialsOf(user int64) (held []*xxladapter.Credential) {
	for _, id := range slices.Sorted(maps.Keys(s.credentials)) {
		if c := s.credentials[id]; c.UserID == user {
			held = append(held, c)
		}
	}
	return held
}

// RemoveUser implements [xxladapter.Store].
func (s *Store) RemoveUser(ctx context.Context, id int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	is := s.users[id]
	if is == nil {
		return noUser(id)
	}
	if s.lastAdmin(is) {
		return errLastAdmin(id)
	}
	for _, held := range s.credentialsOf(id) {
		delete(s.credentials, held.ID)
		if held.Kind == xxladapter.CredentialToken {
			s.record(ctx, held.Audited(), held.Fields(), nil)
		}
	}
	delete(s.users, id)
	s.record(ctx, is.Audited(), is.Fields(), nil)
	return nil
}

// lastAdmin reports whether u is the only administrator of all groups who can sign in.
func (s *Store) lastAdmin(u *xxladapter.User) bool {
	if !u.Administers() {
		return false
	}
	for _, other := range s.users {
		if other != u && other.Administers() {
			return false
		}
	}
	return true
}

// Users implements [xxladapter.Store].
func (s *Store) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []*xxladapter.User
	for _, id := range slices.Sorted(maps.Keys(s.users)) {
		u := s.users[id]
		if (f.ID == 0 || f.ID == id) && (f.Name == "" || f.Name == u.Name) && (f.Subject == "" ||
			f.Subject == u.Subject) {
			found = append(found, copyUser(u))
		}
	}
	return found, nil
}

// UpstreamUsers lists nobody: XXL-JOB has no tables in memory.
func (s *Store) UpstreamUsers(ctx context.Context, _ string) ([]xxladapter.UpstreamUser, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	return nil, nil
}

// CreateCredential implements [xxladapter.Store].
func (s *Store) CreateCredential(ctx context.Context, c *xxladapter.Credential) (int64, error) {
	if err := s.enter(ctx); err != nil {
		return 0, err
	}
	defer s.mu.Unlock()
	if s.users[c.UserID] == nil {
		return 0, noUser(c.UserID)
	}
	expired := func(_ int64, old *xxladapter.Credential) bool { return !old.Expires.After(c.Created) }
	maps.DeleteFunc(s.credentials, expired)
	if err := s.makeRoom(c); err != nil {
		return 0, err
	}
	s.lastCredential++
	kept := copyCredential(c)
	kept.ID = s.lastCredential
	kept.Created, kept.Used, kept.Expires = toMilli(c.Created), toMilli(c.Used), toMilli(c.Expires)
	s.credentials[kept.ID] = kept
	s.record(ctx, kept.Audited(), nil, kept.Fields())
	return kept.ID, nil
}

// makeRoom deletes the least recently used sessions of a user until another one, c, has room. It
// refuses a token beyond the limit.
func (s *Store) makeRoom(c *xxladapter.Credential) error {
	otherKind := func(other *xxladapter.Credential) bool { return other.Kind != c.Kind }
	held := slices.DeleteFunc(s.credentialsOf(c.UserID), otherKind)
	if c.Kind == xxladapter.CredentialToken {
		return xxladapter.CheckTokens(c.UserID, len(held))
	}
	slices.SortStableFunc(held, func(a, b *xxladapter.Credential) int { return a.Used.Compare(b.Used) })
	for len(held) >= xxladapter.MaxCredentials {
		delete(s.credentials, held[0].ID)
		held = held[1:]
	}
	return nil
}

func copyCredential(c *xxladapter.Credential) *xxladapter.Credential {
	kept := *c
	kept.Groups = slices.Clone(c.Groups)
	return &kept
}

// Credential implements [xxladapter.Store].
func (s *Store) Credential(ctx context.Context, digest string) (*xxladapter.Credential, *xxladapter.User, error) {
	if err := s.enter(ctx); err != nil {
		return nil, nil, err
	}
	defer s.mu.Unlock()
	for _, c := range s.credentials {
		if c.Digest == digest {
			return copyCredential(c), copyUser(s.users[c.UserID]), nil
		}
	}
	return nil, nil, xxladapter.NotFoundf(errorrule.NoCredential, "no such credential")
}

// Credentials implements [xxladapter.Store].
func (s *Store) Credentials(
	ctx context.Context, userID int64, kind xxladapter.CredentialKind,
) ([]*xxladapter.Credential, error) {
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	defer s.mu.Unlock()
	var found []*xxladapter.Credential
	for _, id := range slices.Sorted(maps.Keys(s.credentials)) {
		if c := s.credentials[id]; c.Kind == kind && (userID == 0 || c.UserID == userID) {
			found = append(found, copyCredential(c))
		}
	}
	return found, nil
}

// UseCredential implements [xxladapter.Store].
func (s *Store) UseCredential(ctx context.Context, id int64, used, expires time.Time) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	if c := s.credentials[id]; c != nil {
		c.Used, c.Expires = toMilli(used), toMilli(expires)
	}
	return nil
}

// RemoveCredential implements [xxladapter.Store].
func (s *Store) RemoveCredential(ctx context.Context, userID, id int64) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c := s.credentials[id]
	if c == nil || userID != 0 && c.UserID != userID {
		return xxladapter.Absent("credential", id)
	}
	delete(s.credentials, id)
	s.record(ctx, c.Audited(), c.Fields(), nil)
	return nil
}

func noUser(id int64) error {
	return xxladapter.Absent("user", id)
}

func errLastAdmin(id int64) error {
	return xxladapter.Conflictf(errorrule.LastAdmin,
		"user %d is the last administrator who can sign in, there must be another one",
		id)
}
