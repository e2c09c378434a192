package accounts

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// A withUpstream is a store beside tables of XXL-JOB with users.
type withUpstream struct {
	*memstore.Store
	users []xxladapter.UpstreamUser
}

func (s *withUpstream) UpstreamUsers(ctx context.Context, name string) (list []xxladapter.UpstreamUser, err error) {
	for _, u := range s.users {
		own, err := s.Users(ctx, xxladapter.UserFilter{Name: u.Name})
		if err != nil {
			return nil, err
		}
		if len(own) == 0 && (name == "" || u.Name == name) {
			list = append(list, u)
		}
	}
	return list, nil
}

func md5Of(text string) string    { return fmt.Sprintf("%x", md5.Sum([]byte(text))) }
func sha256Of(text string) string { return fmt.Sprintf("%X", sha256.Sum256([]byte(text))) }

// TestMain makes hashes cheap: tests compute hundreds.
func TestMain(m *testing.M) {
	realCost, cost = cost, argonCost{memory: 64, passes: 1, lanes: 1}
	m.Run()
}

var realCost argonCost

var quiet = slog.New(slog.DiscardHandler)

// withUser returns accounts with one administrator, root, whose password is "pass of root".
func withUser(t *testing.T) *Accounts {
	t.Helper()
	a := New(memstore.New(nil), quiet)
	_, err := a.Create(t.Context(), &xxladapter.User{Name: "root", Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}, "pass of root")
	require.NoError(t, err)
	return a
}

func login(t *testing.T, a *Accounts) string {
	t.Helper()
	secret, _, err := a.Login(t.Context(), "root", "pass of root", "10.0.0.1")
	require.NoError(t, err)
	return secret
}

func TestASessionEndsWhenItIsNotUsed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t)
		secret := login(t, a)
		time.Sleep(12*time.Hour - time.Millisecond)
		b, err := a.Session(t.Context(), secret)
		require.NoError(t, err)
		require.Equal(t, "root", b.User.Name)
		time.Sleep(12*time.Hour - time.Millisecond)
		_, err = a.Session(t.Context(), secret)
		require.NoError(t, err)
		time.Sleep(12 * time.Hour)
		_, err = a.Session(t.Context(), secret)
		require.ErrorIs(t, err, ErrEnded)
	})
}

func TestASessionEndsAfterSevenDays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t)
		secret, begun := login(t, a), time.Now()
		for time.Since(begun) < 7*24*time.Hour-time.Hour {
			time.Sleep(time.Hour)
			_, err := a.Session(t.Context(), secret)
			require.NoError(t, err, "after %v", time.Since(begun))
		}
		time.Sleep(time.Hour - time.Millisecond)
		_, err := a.Session(t.Context(), secret)
		require.NoError(t, err)
		time.Sleep(time.Millisecond)
		_, err = a.Session(t.Context(), secret)
		require.ErrorIs(t, err, ErrEnded, "although it was used all the time")
	})
}

// A countingStore counts writes of uses.
type countingStore struct {
	*memstore.Store
	uses int
}

func (s *countingStore) UseCredential(ctx context.Context, id int64, used, expires time.Time) error {
	s.uses++
	return s.Store.UseCredential(ctx, id, used, expires)
}

// TestAUseIsWrittenOnceInFiveMinutes checks that 60 requests in ten minutes write two uses.
func TestAUseIsWrittenOnceInFiveMinutes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &countingStore{Store: memstore.New(nil)}
		a := withUser(t)
		a.store = store
		_, err := a.Create(t.Context(), &xxladapter.User{Name: "root", Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}, "pass of root")
		require.NoError(t, err)
		secret := login(t, a)
		for range 60 {
			time.Sleep(10 * time.Second)
			_, err := a.Session(t.Context(), secret)
			require.NoError(t, err)
		}
		require.Equal(t, 2, store.uses)
	})
}

func TestANewPasswordEndsSessions(t *testing.T) {
	a := withUser(t)
	mine, elsewhere := login(t, a), login(t, a)
	b, err := a.Session(t.Context(), mine)
	require.NoError(t, err)
	require.ErrorContains(t, a.ChangePassword(t.Context(), b, "wrong", "another pass"), "old is not the current password of root")
	require.NoError(t, a.ChangePassword(t.Context(), b, "pass of root", "another pass"))
	_, err = a.Session(t.Context(), elsewhere)
	require.ErrorIs(t, err, ErrEnded)
	_, err = a.Session(t.Context(), mine)
	require.NoError(t, err, "the one that changed it continues")
	_, _, err = a.Login(t.Context(), "root", "pass of root", "10.0.0.1")
	require.ErrorIs(t, err, errWrong)
	set := "set by an administrator"
	require.NoError(t, a.Update(t.Context(), b.User.ID, nil, &set))
	_, err = a.Session(t.Context(), mine)
	require.ErrorIs(t, err, ErrEnded)
}

func TestASecretIsOfItsKind(t *testing.T) {
	a := withUser(t)
	session := login(t, a)
	_, token, err := a.CreateToken(t.Context(), xxladapter.Credential{UserID: 1, Name: "ci", Expires: time.Now().Add(time.Hour)}, nil)
	require.NoError(t, err)
	require.True(t, IsToken(token))
	_, err = a.Session(t.Context(), token)
	require.ErrorIs(t, err, ErrEnded)
	_, err = a.Token(t.Context(), session)
	require.ErrorIs(t, err, ErrEnded)
	for _, wrong := range []string{"", token[:len(token)-1], token + "x", digestOf(token)} {
		_, err = a.Token(t.Context(), wrong)
		require.ErrorIs(t, err, ErrEnded, "%q", wrong)
	}
	_, err = a.Token(t.Context(), token)
	require.NoError(t, err)
}

func TestATokenEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t)
		_, token, err := a.CreateToken(t.Context(), xxladapter.Credential{UserID: 1, Name: "ci", Expires: time.Now().Add(time.Hour)}, nil)
		require.NoError(t, err)
		time.Sleep(time.Hour - time.Millisecond)
		_, err = a.Token(t.Context(), token)
		require.NoError(t, err)
		time.Sleep(time.Millisecond)
		_, err = a.Token(t.Context(), token)
		require.ErrorIs(t, err, ErrEnded)
	})
}

// TestANameOfATokenIsOneLine checks that a token has no name that log lines and rows of the audit
// could not show, or that PostgreSQL could not store.
func TestANameOfATokenIsOneLine(t *testing.T) {
	a := withUser(t)
	create := func(name string) error {
		_, _, err := a.CreateToken(t.Context(), xxladapter.Credential{UserID: 1, Name: name, Expires: time.Now().Add(time.Hour)}, nil)
		return err
	}
	for _, name := range []string{"ci\n", "c\x00i", "\tci", "c\x1b[2Ji", "c\x7fi", "c\u0085i"} {
		require.ErrorContains(t, create(name), "must not contain control characters", "%q", name)
	}
	require.NoError(t, create("ci of 流水线, nightly"))
}

// TestTriesAreLimited checks the limits by name and address and by address alone, and that a
// success does not count.
func TestTriesAreLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t)
		try := func(name, password, from string) error {
			_, _, err := a.Login(t.Context(), name, password, from)
			return err
		}
		for range 2 * triesByNetwork {
			require.NoError(t, try("root", "pass of root", "10.0.0.1"))
		}
		for range triesByName {
			require.ErrorIs(t, try("root", "wrong", "10.0.2.1"), errWrong)
		}
		err := try("root", "pass of root", "10.0.2.1")
		require.EqualError(t, err, "too many tries, try again in 61 seconds", "with any password")
		require.NoError(t, try("root", "pass of root", "10.0.0.1"), "a stranger elsewhere does not lock the user out")
		require.ErrorIs(t, try("nobody", "wrong", "10.0.2.1"), errWrong, "other names are free")

		// Tries that are refused for their name leave the address its other tries.
		for range triesByNetwork {
			require.ErrorContains(t, try("root", "wrong", "10.0.2.1"), "too many tries")
		}
		for i := range triesByNetwork - triesByName - 1 {
			require.ErrorIs(t, try(fmt.Sprint("user", i), "wrong", "10.0.2.1"), errWrong)
		}
		require.ErrorContains(t, try("another", "wrong", "10.0.2.1"), "too many tries")
		for i := range triesByNetwork {
			require.ErrorIs(t, try(fmt.Sprint("guest", i), "wrong", fmt.Sprintf("2001:db8::%d", i)), errWrong)
		}
		require.ErrorContains(t, try("guest", "wrong", "2001:db8::99"), "too many tries", "one host has a whole network")

		time.Sleep(time.Minute)
		require.NoError(t, try("root", "pass of root", "10.0.2.1"))
	})
}

// TestAFullLimiterForgets checks that memory is bounded, and that strangers who fill it lock nobody
// out.
func TestAFullLimiterForgets(t *testing.T) {
	l, now := newLimiter(1), time.Unix(1e9, 0)
	for i := range maxKnown {
		require.Zero(t, l.take(fmt.Sprint(i), now))
	}
	require.Zero(t, l.take("one more", now))
	require.Len(t, l.tries, maxKnown)
	require.Equal(t, time.Minute, l.take("one more", now), "known")
	require.Zero(t, l.take("later", now.Add(time.Minute)), "the others are forgotten")
	require.Len(t, l.tries, 1)
}

// A staleStore changes a user between a read and the write that follows it.
type staleStore struct {
	*memstore.Store
	before func()
}

func (s *staleStore) UpdateUser(ctx context.Context, id int64, c xxladapter.UserChange) error {
	if s.before != nil {
		s.before()
	}
	return s.Store.UpdateUser(ctx, id, c)
}

// TestStaleRightsAreNotWrittenBack changes a password while an administrator takes a role away, or
// sets another password.
func TestStaleRightsAreNotWrittenBack(t *testing.T) {
	a := withUser(t)
	store := &staleStore{Store: a.store.(*memstore.Store)}
	a.store = store
	id, err := a.Create(t.Context(), &xxladapter.User{Name: "ann", Grants: []xxladapter.Grant{{GroupID: 1, Role: xxladapter.RoleCoder}}}, "pass of ann")
	require.NoError(t, err)
	_, b, err := a.Login(t.Context(), "ann", "pass of ann", "10.0.0.1")
	require.NoError(t, err)
	store.before = func() {
		require.NoError(t, store.Store.UpdateUser(t.Context(), id, xxladapter.UserChange{Grants: new([]xxladapter.Grant)}))
	}
	require.NoError(t, a.ChangePassword(t.Context(), b, "pass of ann", "another pass"))
	u, err := a.User(t.Context(), id)
	require.NoError(t, err)
	require.Empty(t, u.Grants)

	b.User = u
	store.before = func() {
		require.NoError(t, store.Store.UpdateUser(t.Context(), id, xxladapter.UserChange{Password: new("set by an administrator")}))
	}
	require.ErrorIs(t, a.ChangePassword(t.Context(), b, "another pass", "a third pass"), xxladapter.ErrConflict)
	u, err = a.User(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "set by an administrator", u.Password)
	require.NoError(t, a.Update(t.Context(), id, []xxladapter.Grant{}, nil))
	u, err = a.User(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, "set by an administrator", u.Password, "a change of roles leaves the password")
}

// TestAnAdministratorsNewPasswordEndsTokens checks that a user who is locked out has no way left.
func TestAnAdministratorsNewPasswordEndsTokens(t *testing.T) {
	a := withUser(t)
	_, token, err := a.CreateToken(t.Context(), xxladapter.Credential{UserID: 1, Name: "ci", Expires: time.Now().Add(time.Hour)}, nil)
	require.NoError(t, err)
	b, err := a.Session(t.Context(), login(t, a))
	require.NoError(t, err)
	require.NoError(t, a.ChangePassword(t.Context(), b, "pass of root", "another pass"))
	_, err = a.Token(t.Context(), token)
	require.NoError(t, err, "one's own change leaves them")
	require.NoError(t, a.Update(t.Context(), 1, nil, new("a third pass")))
	_, err = a.Token(t.Context(), token)
	require.ErrorIs(t, err, ErrEnded)
}

// An overtaken store does something just before it stores a credential.
type overtaken struct {
	*memstore.Store
	first func()
}

func (s *overtaken) CreateCredential(ctx context.Context, c *xxladapter.Credential) (int64, error) {
	if first := s.first; first != nil {
		s.first = nil
		first()
	}
	return s.Store.CreateCredential(ctx, c)
}

// TestNoCredentialOutlivesANewPassword has an administrator set a password after a login has
// checked the old one, and while a session asks for a token.
func TestNoCredentialOutlivesANewPassword(t *testing.T) {
	a := withUser(t)
	store := &overtaken{Store: a.store.(*memstore.Store)}
	a.store = store
	set := "set by an administrator"
	change := func() { require.NoError(t, a.Update(t.Context(), 1, nil, &set)) }

	store.first = change
	secret, _, err := a.Login(t.Context(), "root", "pass of root", "10.0.0.1")
	require.ErrorIs(t, err, ErrEnded)
	require.Empty(t, secret)

	_, b, err := a.Login(t.Context(), "root", set, "10.0.0.1")
	require.NoError(t, err)
	store.first = change
	id, secret, err := a.CreateToken(
		t.Context(), xxladapter.Credential{UserID: 1, Name: "ci", Expires: time.Now().Add(time.Hour)}, b.Credential,
	)
	require.ErrorIs(t, err, ErrEnded)
	require.Zero(t, id)
	require.Empty(t, secret)
	for _, kind := range xxladapter.CredentialKind("").Values() {
		left, err := a.Credentials(t.Context(), 1, kind)
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

// An interrupted store calls cut once it has stored a credential. Like a database it answers
// nothing under a context that has ended.
type interrupted struct {
	*memstore.Store
	cut func()
}

func (s *interrupted) CreateCredential(ctx context.Context, c *xxladapter.Credential) (int64, error) {
	id, err := s.Store.CreateCredential(ctx, c)
	s.cut()
	return id, err
}

func (s *interrupted) Credential(ctx context.Context, digest string) (*xxladapter.Credential, *xxladapter.User, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	return s.Store.Credential(ctx, digest)
}

func (s *interrupted) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Store.Users(ctx, f)
}

func (s *interrupted) RemoveCredential(ctx context.Context, userID, id int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Store.RemoveCredential(ctx, userID, id)
}

// TestNoCredentialIsLeftByACallerWhoLeaves has the caller leave when a session or a token is stored
// and its secret not returned yet.
func TestNoCredentialIsLeftByACallerWhoLeaves(t *testing.T) {
	a := withUser(t)
	_, b, err := a.Login(t.Context(), "root", "pass of root", "10.0.0.1")
	require.NoError(t, err)
	store := &interrupted{Store: a.store.(*memstore.Store)}
	a.store = store
	ctx, cancel := context.WithCancel(t.Context())
	store.cut = cancel
	_, _, err = a.Login(ctx, "root", "pass of root", "10.0.0.1")
	require.ErrorIs(t, err, context.Canceled)

	ctx, cancel = context.WithCancel(t.Context())
	store.cut = cancel
	_, _, err = a.CreateToken(
		ctx, xxladapter.Credential{UserID: 1, Name: "ci", Expires: time.Now().Add(time.Hour)}, b.Credential,
	)
	require.ErrorIs(t, err, context.Canceled)
	for kind, want := range map[xxladapter.CredentialKind]int{xxladapter.CredentialSession: 1, xxladapter.CredentialToken: 0} {
		left, err := a.Credentials(t.Context(), 1, kind)
		require.NoError(t, err)
		require.Len(t, left, want, kind)
	}
}

// TestTheFirstUserIsAnAdministrator checks that no first user locks everybody out.
func TestTheFirstUserIsAnAdministrator(t *testing.T) {
	store := &withUpstream{Store: memstore.New(nil), users: []xxladapter.UpstreamUser{
		{Name: "plain", Password: md5Of("plain pass"), Groups: []int64{3}},
		{Name: "boss", Password: md5Of("boss pass"), Admin: true},
	}}
	a := New(store, quiet)
	all := []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}
	for _, refused := range []struct {
		grants   []xxladapter.Grant
		password string
	}{{nil, "long enough"}, {[]xxladapter.Grant{{GroupID: 1, Role: xxladapter.RoleAdmin}}, "long enough"}, {all, ""}} {
		_, err := a.Create(t.Context(), &xxladapter.User{Name: "one", Grants: refused.grants}, refused.password)
		require.ErrorIs(t, err, xxladapter.ErrConflict)
	}
	_, _, err := a.Login(t.Context(), "plain", "plain pass", "10.0.0.1")
	require.ErrorIs(t, err, xxladapter.ErrConflict)
	_, _, err = a.Login(t.Context(), "boss", "boss pass", "10.0.0.1")
	require.NoError(t, err)
	_, _, err = a.Login(t.Context(), "plain", "plain pass", "10.0.0.1")
	require.NoError(t, err)
	require.ErrorIs(t, a.Update(t.Context(), 1, nil, new("")), xxladapter.ErrConflict, "the last administrator keeps a way in")
}

func TestUsersOfXXLJOBAreTakenOver(t *testing.T) {
	var logged bytes.Buffer
	store := &withUpstream{Store: memstore.New(nil), users: []xxladapter.UpstreamUser{
		{Name: "old", Password: md5Of("an old pass"), Admin: true, Groups: []int64{3}},
		{Name: "new", Password: sha256Of("a new pass"), Groups: []int64{7, 3, 7}},
		{Name: "admin", Password: md5Of("123456"), Admin: true},
		{Name: "empty", Password: ""},
	}}
	a := New(store, slog.New(slog.NewTextHandler(&logged, nil)))
	try := func(name, password string) (Bearer, error) {
		a.networks = newLimiter(triesByNetwork)
		_, b, err := a.Login(t.Context(), name, password, "10.0.0.1")
		return b, err
	}
	for _, wrong := range [][2]string{{"old", "wrong"}, {"old", md5Of("an old pass")}, {"admin", "123456"}, {"empty", ""}, {"nobody", "x"}, {"", ""}} {
		_, err := try(wrong[0], wrong[1])
		require.ErrorIs(t, err, errWrong, "%v", wrong)
	}
	some, err := a.SomeUser(t.Context())
	require.NoError(t, err)
	require.False(t, some)
	require.Contains(t, logged.String(), "still has the password that its tables come with")

	b, err := try("old", "an old pass")
	require.NoError(t, err)
	require.Equal(t, []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}, b.User.Grants)
	b, err = try("new", "a new pass")
	require.NoError(t, err)
	require.Equal(t, []xxladapter.Grant{{GroupID: 3, Role: xxladapter.RoleCoder}, {GroupID: 7, Role: xxladapter.RoleCoder}}, b.User.Grants)
	require.Equal(t, access.Hidden, b.Rights.Decide(xxladapter.RoleViewer, 4))

	// From now on the account is our own, whatever becomes of the other row.
	store.users = nil
	b, err = try("old", "an old pass")
	require.NoError(t, err)
	require.Regexp(t, `^\$argon2id\$v=19\$m=64,t=1,p=1\$`, b.User.Password)
	require.NotContains(t, logged.String(), "an old pass")
}

// TestSetupIsOfferedWhileNobodyCanSignIn lists what counts as somebody.
func TestSetupIsOfferedWhileNobodyCanSignIn(t *testing.T) {
	for name, tt := range map[string]struct {
		upstream []xxladapter.UpstreamUser
		offered  bool
	}{
		"an empty store":            {nil, true},
		"a new database of XXL-JOB": {[]xxladapter.UpstreamUser{{Name: "admin", Password: md5Of("123456"), Admin: true}}, true},
		"and of a later release":    {[]xxladapter.UpstreamUser{{Name: "admin", Password: sha256Of("123456"), Admin: true}}, true},
		"a database that is in use": {[]xxladapter.UpstreamUser{{Name: "admin", Password: sha256Of("changed"), Admin: true}}, false},
	} {
		secret, err := New(&withUpstream{memstore.New(nil), tt.upstream}, quiet).Setup(t.Context())
		require.NoError(t, err)
		require.Equal(t, tt.offered, secret != "", name)
	}
	secret, err := withUser(t).Setup(t.Context())
	require.NoError(t, err)
	require.Empty(t, secret)
}

// A paddingStore compares names and subjects as MariaDB does with many collations: blanks at the
// end do not count.
type paddingStore struct{ *memstore.Store }

func (s paddingStore) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	f.Name, f.Subject = strings.TrimRight(f.Name, " "), strings.TrimRight(f.Subject, " ")
	return s.Store.Users(ctx, f)
}

// TestANameIsFoundAsItIsWritten checks that other spellings of a name are no way round its limit.
func TestANameIsFoundAsItIsWritten(t *testing.T) {
	a := withUser(t)
	a.store = paddingStore{a.store.(*memstore.Store)}
	_, _, err := a.Login(t.Context(), "root ", "pass of root", "10.0.0.1")
	require.ErrorIs(t, err, errWrong)
	login(t, a)
}

// A paddingUpstream is a [paddingStore] beside tables of XXL-JOB.
type paddingUpstream struct {
	*withUpstream
	t       *testing.T
	created int
}

func (s *paddingUpstream) Users(ctx context.Context, f xxladapter.UserFilter) ([]*xxladapter.User, error) {
	return paddingStore{s.Store}.Users(ctx, f)
}

func (s *paddingUpstream) CreateUser(context.Context, *xxladapter.User, bool) (int64, error) {
	s.created++
	require.Less(s.t, s.created, 10, "it is tried without end")
	return 0, xxladapter.ErrConflict
}

// TestANameThatTheStoreTakesForAnotherIsNotTakenOver signs in a user of XXL-JOB whose name is one
// of the store's with a blank.
func TestANameThatTheStoreTakesForAnotherIsNotTakenOver(t *testing.T) {
	a := withUser(t)
	upstream := []xxladapter.UpstreamUser{{Name: "root ", Password: md5Of("an old pass")}}
	store := &paddingUpstream{withUpstream: &withUpstream{a.store.(*memstore.Store), upstream}, t: t}
	a.store = store
	_, _, err := a.Login(t.Context(), "root ", "an old pass", "10.0.0.1")
	require.ErrorIs(t, err, errWrong)
	require.Equal(t, 1, store.created)
}

// TestOnlyNamesOfUsersAreLogged checks that a password in the field of the name is not logged.
func TestOnlyNamesOfUsersAreLogged(t *testing.T) {
	var logged bytes.Buffer
	a := withUser(t)
	a.store = &withUpstream{Store: a.store.(*memstore.Store), users: []xxladapter.UpstreamUser{{Name: "old", Password: md5Of("an old pass")}}}
	a.logger = slog.New(slog.NewTextHandler(&logged, nil))
	for i, name := range []string{"root", "old", "s3cret", strings.Repeat("s3cret", 50)} {
		_, _, err := a.Login(t.Context(), name, "wrong", fmt.Sprintf("10.0.0.%d", i))
		require.ErrorIs(t, err, errWrong)
	}
	require.Contains(t, logged.String(), "name=root address=10.0.0.0")
	require.Contains(t, logged.String(), "name=old address=10.0.0.1")
	require.Contains(t, logged.String(), "address=10.0.0.2")
	require.NotContains(t, logged.String(), "s3cret")
}

// TestEveryRefusedLoginComputesAHash checks that a login waits for its turn to compute a hash,
// whether the name is known, unknown, without a password, or of a user of XXL-JOB.
func TestEveryRefusedLoginComputesAHash(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(&withUpstream{memstore.New(nil), []xxladapter.UpstreamUser{{Name: "old", Password: md5Of("pass of old")}}}, quiet)
		for _, user := range [][2]string{{"root", "pass of root"}, {"provided", ""}} {
			_, err := a.Create(t.Context(), &xxladapter.User{Name: user[0], Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}, user[1])
			require.NoError(t, err)
		}
		for i, name := range []string{"root", "provided", "old", "nobody"} {
			for range hashesAtOnce {
				a.hasher.places <- struct{}{}
			}
			refused := make(chan error, 1)
			go func() {
				_, _, err := a.Login(t.Context(), name, "wrong", fmt.Sprintf("10.0.%d.1", i))
				refused <- err
			}()
			synctest.Wait()
			require.Empty(t, refused, "%s is refused without the work", name)
			for range hashesAtOnce {
				<-a.hasher.places
			}
			require.ErrorIs(t, <-refused, errWrong, name)
		}
	})
}

// TestUnknownNamesCostAsMuch checks that a hash that is missing or unreadable costs what a real one
// does.
func TestUnknownNamesCostAsMuch(t *testing.T) {
	for _, stored := range []string{"", "x", "$argon2id$v=19$m=19456,t=2,p=1$AAAA", "$argon2id$v=1$m=8,t=1,p=1$AAAA$AAAA", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=4194304,t=2,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "$argon2id$v=19$m=8,t=1000000,p=1$AAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", // too costly to compute
	} {
		c, salt, sum, known := parseHash(stored)
		require.False(t, known)
		require.Equal(t, cost, c)
		require.Len(t, salt, saltSize)
		require.Len(t, sum, hashSize)
		right, err := newHasher().matches(t.Context(), stored, "")
		require.NoError(t, err)
		require.False(t, right, "%q", stored)
	}
}

// TestPasswordsAreCheckedAFewAtATime checks how many callers wait, and what others get.
func TestPasswordsAreCheckedAFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := withUser(t)
		b, err := a.Session(t.Context(), login(t, a))
		require.NoError(t, err)
		for range hashesAtOnce {
			a.hasher.places <- struct{}{}
			a.hasher.callers <- struct{}{}
		}
		results := make(chan error, hashesWaiting)
		for i := range hashesWaiting {
			go func() {
				_, _, err := a.Login(t.Context(), "root", "pass of root", fmt.Sprintf("10.0.0.%d", i))
				results <- err
			}()
		}
		synctest.Wait()
		_, _, err = a.Login(t.Context(), "root", "pass of root", "10.0.1.1")
		require.ErrorIs(t, err, errBusy)
		require.Equal(t, time.Second, errBusy.RetryAfter)
		for range triesByName {
			_, _, err := a.Login(t.Context(), "root", "pass of root", "10.0.1.1")
			require.ErrorIs(t, err, errBusy, "no password was checked, so it is no wrong try")
		}
		for range 2 * triesByName {
			require.ErrorIs(t, a.ChangePassword(t.Context(), b, "pass of root", "another one"), errBusy, "here, too")
		}
		for range hashesAtOnce {
			<-a.hasher.places
			<-a.hasher.callers
		}
		for range hashesWaiting {
			require.NoError(t, <-results)
		}
	})
}

func TestHashesAreSalted(t *testing.T) {
	require.Equal(t, argonCost{memory: 19 * 1024, passes: 2, lanes: 1}, realCost)
	h := newHasher()
	one, err := h.hash(t.Context(), "same")
	require.NoError(t, err)
	two, err := h.hash(t.Context(), "same")
	require.NoError(t, err)
	require.NotEqual(t, one, two)
	for password, want := range map[string]bool{"same": true, "Same": false, "same ": false, "": false} {
		right, err := h.matches(t.Context(), one, password)
		require.NoError(t, err)
		require.Equal(t, want, right, "%q", password)
	}
}
