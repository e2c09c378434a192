package accounts

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// proves returns a proof that yields the identity.
func proves(id Identity) func(context.Context) (Identity, error) {
	return func(context.Context) (Identity, error) { return id, nil }
}

// TestTheLastAdministratorIsShutOut takes the roles of the only administrator away at the provider.
func TestTheLastAdministratorIsShutOut(t *testing.T) {
	a := New(memstore.New(nil), quiet)
	id := Identity{Subject: "https://id.example.org 7", Name: "ann", Grants: []xxladapter.Grant{{Role: xxladapter.RoleAdmin}}}
	session, b, err := a.SignOn(t.Context(), "10.0.0.1", proves(id))
	require.NoError(t, err)
	_, token, err := a.CreateToken(t.Context(), xxladapter.Credential{UserID: b.User.ID, Name: "ci", Expires: time.Now().Add(time.Hour)}, nil)
	require.NoError(t, err)
	none := id
	none.Grants = nil
	_, _, err = a.SignOn(t.Context(), "10.0.0.1", proves(none))
	require.ErrorIs(t, err, errNoRole)
	_, err = a.Session(t.Context(), session)
	require.ErrorIs(t, err, ErrEnded)
	_, err = a.Token(t.Context(), token)
	require.ErrorIs(t, err, ErrEnded)
	_, b, err = a.SignOn(t.Context(), "10.0.0.1", proves(id))
	require.NoError(t, err)
	require.Equal(t, id.Grants, b.User.Grants)
}

// TestNoSessionBeginsForAUserWhoIsShutOut has the provider take all roles away, which a second
// sign-on learns, before the session of the first one is stored.
func TestNoSessionBeginsForAUserWhoIsShutOut(t *testing.T) {
	a := withUser(t)
	store := &overtaken{Store: a.store.(*memstore.Store)}
	a.store = store
	id := Identity{Subject: "https://id.example.org 7", Name: "ann", Grants: []xxladapter.Grant{{Role: xxladapter.RoleCoder}}}
	none := id
	none.Grants = nil
	store.first = func() {
		_, _, err := a.SignOn(t.Context(), "10.0.0.1", proves(none))
		require.ErrorIs(t, err, errNoRole)
	}
	secret, _, err := a.SignOn(t.Context(), "10.0.0.1", proves(id))
	require.ErrorIs(t, err, ErrEnded)
	require.Empty(t, secret)
	left, err := a.Credentials(t.Context(), 0, xxladapter.CredentialSession)
	require.NoError(t, err)
	require.Empty(t, left)
}

// TestASubjectIsFoundAsItIsWritten checks that another user of the provider, whose id the store
// takes for that of the first, is another user here.
func TestASubjectIsFoundAsItIsWritten(t *testing.T) {
	a := withUser(t)
	a.store = paddingStore{a.store.(*memstore.Store)}
	id := Identity{Subject: "https://id.example.org 7", Name: "ann", Grants: []xxladapter.Grant{{Role: xxladapter.RoleCoder}}}
	_, ann, err := a.SignOn(t.Context(), "10.0.0.1", proves(id))
	require.NoError(t, err)
	id.Subject += " "
	_, other, err := a.SignOn(t.Context(), "10.0.0.1", proves(id))
	require.NoError(t, err)
	require.NotEqual(t, ann.User.ID, other.User.ID)
}

// A racingStore has another sign-on add a user right before it adds one.
type racingStore struct {
	*memstore.Store
	other *xxladapter.User // nil once it is added
}

func (s *racingStore) CreateUser(ctx context.Context, u *xxladapter.User, first bool) (int64, error) {
	if other := s.other; other != nil {
		s.other = nil
		if _, err := s.Store.CreateUser(ctx, other, false); err != nil {
			return 0, err
		}
	}
	return s.Store.CreateUser(ctx, u, first)
}

// TestTwoSignOnsAddUsersAtTheSameTime signs a new user on in two windows, and together with another
// new user of the same name.
func TestTwoSignOnsAddUsersAtTheSameTime(t *testing.T) {
	grants := []xxladapter.Grant{{Role: xxladapter.RoleCoder}}
	for subject, want := range map[string]string{"s ann": "^ann$", "s another": "^ann-[0-9a-f]{8}$"} {
		a := withUser(t)
		a.store = &racingStore{a.store.(*memstore.Store), &xxladapter.User{Name: "ann", Subject: subject}}
		_, b, err := a.SignOn(t.Context(), "10.0.0.1", proves(Identity{Subject: "s ann", Name: "ann", Grants: grants}))
		require.NoError(t, err, subject)
		require.Regexp(t, want, b.User.Name)
		u, err := a.User(t.Context(), b.User.ID)
		require.NoError(t, err)
		require.Equal(t, []any{"s ann", grants}, []any{u.Subject, u.Grants})
	}
}

// TestTheFirstUserOfAProvider checks that the first sign-on of somebody who is no administrator is
// refused: it would leave a scheduler that nobody could administer.
func TestTheFirstUserOfAProvider(t *testing.T) {
	a := New(memstore.New(nil), quiet)
	plain := Identity{Subject: "https://id.example.org 7", Name: "ann", Grants: []xxladapter.Grant{{Role: xxladapter.RoleCoder}}}
	_, _, err := a.SignOn(t.Context(), "10.0.0.1", proves(plain))
	require.ErrorIs(t, err, xxladapter.ErrConflict)
	require.ErrorContains(t, err, `user "ann" would be the first one`)
	some, err := a.SomeUser(t.Context())
	require.NoError(t, err)
	require.False(t, some)
}

// TestNamesFromAProvider checks what becomes of names that cannot be used, and of those that are
// taken.
func TestNamesFromAProvider(t *testing.T) {
	a := withUser(t)
	a.store = &withUpstream{Store: a.store.(*memstore.Store), users: []xxladapter.UpstreamUser{{Name: "old", Password: md5Of("an old pass")}}}
	grants := []xxladapter.Grant{{GroupID: 3, Role: xxladapter.RoleViewer}, {Role: xxladapter.RoleViewer}}
	for i, tt := range []struct{ name, want string }{
		{"ann@example.org", "^ann@example.org$"}, {"a b/c\x00\n", "^abc$"}, {"", "^user$"}, {" / ", "^user-[0-9a-f]{8}$"},
		{"root", "^root-[0-9a-f]{8}$"}, {"ro ot", "^root-[0-9a-f]{8}$"}, {"old", "^old-[0-9a-f]{8}$"},
		{strings.Repeat("界", 200), "^界{41}$"}, {strings.Repeat("界", 100), "^界{41}-[0-9a-f]{8}$"}, {"\xff", "^user-[0-9a-f]{8}$"},
	} {
		_, b, err := a.SignOn(t.Context(), "10.0.0.1", proves(Identity{Subject: strings.Repeat("s", i+1), Name: tt.name, Grants: grants}))
		require.NoError(t, err, "%q", tt.name)
		require.Regexp(t, tt.want, b.User.Name)
		require.NoError(t, xxladapter.CheckUserName(b.User.Name))
	}
	_, _, err := a.SignOn(t.Context(), "10.0.0.1", proves(Identity{Subject: strings.Repeat("s", 256), Name: "x", Grants: grants}))
	require.ErrorContains(t, err, "must have at most 255")
}

// TestFailedSignOnsAreLimited checks that failed sign-ons cannot make the scheduler call the
// provider without limit.
func TestFailedSignOnsAreLimited(t *testing.T) {
	a := withUser(t)
	calls := 0
	fails := func(context.Context) (Identity, error) {
		calls++
		return Identity{}, errWrong
	}
	for range triesByNetwork {
		_, _, err := a.SignOn(t.Context(), "10.0.0.1", fails)
		require.ErrorIs(t, err, errWrong)
	}
	_, _, err := a.SignOn(t.Context(), "10.0.0.1", fails)
	require.ErrorContains(t, err, "too many tries")
	require.Equal(t, triesByNetwork, calls)
}

// TestAProviderThatIsAwayLocksNobodyOut checks that people who try to sign in at a provider that
// does not answer may still sign in by password, and that callers who hang up have few tries.
func TestAProviderThatIsAwayLocksNobodyOut(t *testing.T) {
	a := withUser(t)
	away := func(context.Context) (Identity, error) {
		return Identity{}, xxladapter.Refusef(xxladapter.CodeUnreachable, errorrule.ProviderAway, "%s does not answer", "it")
	}
	for range 2 * triesByNetwork {
		_, _, err := a.SignOn(t.Context(), "10.0.0.1", away)
		require.ErrorContains(t, err, "does not answer")
	}
	_, _, err := a.Login(t.Context(), "root", "pass of root", "10.0.0.1")
	require.NoError(t, err)

	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range triesByNetwork {
		_, _, err = a.SignOn(gone, "10.0.0.1", away)
		require.ErrorContains(t, err, "does not answer")
	}
	_, _, err = a.SignOn(gone, "10.0.0.1", away)
	require.ErrorContains(t, err, "too many tries")
}
