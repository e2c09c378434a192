package storetest

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// admins is the grant of an administrator of all groups.
var admins = xxladapter.Grant{Role: xxladapter.RoleAdmin}

// addUser stores a user who has a password and so can sign in.
func (b *fullFixture) addUser(name string, grants ...xxladapter.Grant) int64 {
	b.Helper()
	id, err := b.store.CreateUser(
		b.ctx, &xxladapter.User{Name: name, Password: "hash of " + name, Grants: grants}, false,
	)
	b.NoError(err)
	return id
}

// user returns the user with the id, or nil.
func (b *fullFixture) user(id int64) *xxladapter.User {
	b.Helper()
	found, err := b.store.Users(b.ctx, xxladapter.UserFilter{ID: id})
	b.NoError(err)
	if len(found) == 0 {
		return nil
	}
	b.Len(found, 1)
	return found[0]
}

// addCredential stores a credential of the user. created and expires are in seconds, as for at.
func (b *fullFixture) addCredential(
	user int64, kind xxladapter.CredentialKind, digest string, created, expires int,
) int64 {
	b.Helper()
	id, err := b.store.CreateCredential(b.ctx, &xxladapter.Credential{
		UserID: user, Kind: kind, Digest: digest, Created: at(created), Expires: at(expires),
	})
	b.NoError(err)
	return id
}

// credentials returns the digests of all credentials.
func (b *fullFixture) credentials() (digests []string) {
	b.Helper()
	for _, kind := range xxladapter.CredentialKind("").Values() {
		list, err := b.store.Credentials(b.ctx, 0, kind)
		b.NoError(err)
		for _, c := range list {
			digests = append(digests, c.Digest)
		}
	}
	return digests
}

var userRules = []fullRule{
	{"AUserIsStoredWithItsGrants", func(b *fullFixture) {
		u := &xxladapter.User{
			Name: "grüße", Password: "$argon2id$x", Subject: "https://id.example.org 7",
			Grants: []xxladapter.Grant{
				{GroupID: 9, Role: xxladapter.RoleCoder}, {GroupID: 3, Role: xxladapter.RoleViewer}, admins,
			},
		}
		id, err := b.store.CreateUser(b.ctx, u, false)
		b.NoError(err)
		want := *u
		want.ID, want.Added = id, epoch.Truncate(time.Millisecond)
		want.Grants = []xxladapter.Grant{
			admins, {GroupID: 3, Role: xxladapter.RoleViewer}, {GroupID: 9, Role: xxladapter.RoleCoder},
		}
		b.Equal(&want, b.user(id))
		plain := b.addUser("plain")
		b.Empty(b.user(plain).Grants)
		for name, f := range map[string]xxladapter.UserFilter{
			"name": {Name: "grüße"}, "subject": {Subject: u.Subject}, "both": {ID: id, Name: u.Name},
		} {
			found, err := b.store.Users(b.ctx, f)
			b.NoError(err)
			b.Equal([]*xxladapter.User{&want}, found, name)
		}
		for name, f := range map[string]xxladapter.UserFilter{
			"case": {Name: "GRÜSSE"}, "none": {Name: "nobody"}, "two": {ID: id, Name: "plain"},
		} {
			found, err := b.store.Users(b.ctx, f)
			b.NoError(err)
			b.Empty(found, name)
		}
		all, err := b.store.Users(b.ctx, xxladapter.UserFilter{})
		b.NoError(err)
		b.Len(all, 2)
	}},
	{"NamesAndSubjectsAreUnique", func(b *fullFixture) {
		b.addUser("one")
		_, err := b.store.CreateUser(b.ctx, &xxladapter.User{Name: "one"}, false)
		b.ErrorIs(err, xxladapter.ErrConflict)
		b.addUser("One")
		_, err = b.store.CreateUser(b.ctx, &xxladapter.User{Name: "a", Subject: "s"}, false)
		b.NoError(err)
		_, err = b.store.CreateUser(b.ctx, &xxladapter.User{Name: "b", Subject: "s"}, false)
		b.ErrorIs(err, xxladapter.ErrConflict)
	}},
	{"TheFirstUserIsCreatedOnce", func(b *fullFixture) {
		var (
			wg      sync.WaitGroup
			results [4]error
		)
		for i := range results {
			wg.Go(func() {
				_, results[i] = b.store.CreateUser(
					b.ctx, &xxladapter.User{Name: fmt.Sprint("user", i), Grants: []xxladapter.Grant{admins}}, true,
				)
			})
		}
		wg.Wait()
		created := 0
		for _, err := range results {
			if err == nil {
				created++
			} else {
				b.ErrorIs(err, xxladapter.ErrConflict)
			}
		}
		b.Equal(1, created)
	}},
	{"UpdateUserChangesWhatIsNamedAndNothingElse", func(b *fullFixture) {
		b.addUser("admin", admins)
		id := b.addUser("one", xxladapter.Grant{GroupID: 3, Role: xxladapter.RoleViewer})
		u := b.user(id)
		for _, tt := range []struct {
			change   xxladapter.UserChange
			password string
			grants   []xxladapter.Grant
		}{
			{xxladapter.UserChange{}, u.Password, u.Grants},
			{xxladapter.UserChange{Password: new("new")}, "new", u.Grants},
			{
				xxladapter.UserChange{Grants: &[]xxladapter.Grant{
					{GroupID: 9, Role: xxladapter.RoleCoder}, {GroupID: 4, Role: xxladapter.RoleEditor},
				}},
				"new", []xxladapter.Grant{
					{GroupID: 4, Role: xxladapter.RoleEditor}, {GroupID: 9, Role: xxladapter.RoleCoder},
				},
			},
			{xxladapter.UserChange{Grants: &[]xxladapter.Grant{}, Password: new("")}, "", nil},
		} {
			b.NoError(b.store.UpdateUser(b.ctx, id, tt.change))
			is := b.user(id)
			b.Equal(tt.password, is.Password)
			b.Equal(tt.grants, is.Grants)
		}
	}},
	{"APasswordIsReplacedOnlyIfItIsTheOneThatWasChecked", func(b *fullFixture) {
		id := b.addUser("one", admins)
		b.addCredential(id, xxladapter.CredentialSession, "session", 0, 9)
		was := b.user(id)
		stale := xxladapter.UserChange{
			Password: new("new"), Grants: &[]xxladapter.Grant{}, From: new("another"), EndSessions: true,
		}
		b.ErrorIs(b.store.UpdateUser(b.ctx, id, stale), xxladapter.ErrConflict)
		b.Equal(was, b.user(id))
		b.Len(b.credentials(), 1)
		b.NoError(b.store.UpdateUser(b.ctx, id, xxladapter.UserChange{Password: new("new"), From: &was.Password}))
		b.Equal("new", b.user(id).Password)
	}},
	{"TheLastAdministratorStays", func(b *fullFixture) {
		first, second := b.addUser("first", admins), b.addUser("second", admins)
		// An administrator without a password and without a provider cannot sign in and does not
		// count.
		silent, err := b.store.CreateUser(
			b.ctx, &xxladapter.User{Name: "silent", Grants: []xxladapter.Grant{admins}}, false,
		)
		b.NoError(err)
		lowered := []xxladapter.Grant{{GroupID: 1, Role: xxladapter.RoleAdmin}, {Role: xxladapter.RoleCoder}}
		b.NoError(b.store.UpdateUser(b.ctx, first, xxladapter.UserChange{Grants: &lowered}))
		b.ErrorIs(b.store.RemoveUser(b.ctx, second), xxladapter.ErrConflict)
		b.ErrorIs(
			b.store.UpdateUser(b.ctx, second, xxladapter.UserChange{Grants: &[]xxladapter.Grant{}}),
			xxladapter.ErrConflict,
		)
		b.ErrorIs(b.store.UpdateUser(b.ctx, second, xxladapter.UserChange{Password: new("")}), xxladapter.ErrConflict)
		b.NoError(
			b.store.UpdateUser(b.ctx, second, xxladapter.UserChange{Password: new("new")}),
			"it may change its password",
		)
		b.NoError(b.store.RemoveUser(b.ctx, first))
		b.NoError(b.store.RemoveUser(b.ctx, silent))
		b.Equal([]xxladapter.Grant{admins}, b.user(second).Grants)
		b.Equal("new", b.user(second).Password)
		_, err = b.store.CreateUser(
			b.ctx, &xxladapter.User{Name: "third", Subject: "s", Grants: []xxladapter.Grant{admins}}, false,
		)
		b.NoError(err)
		b.NoError(b.store.RemoveUser(b.ctx, second), "a provider signs in, too")
	}},
	{"TwoAdministratorsDoNotLowerEachOther", func(b *fullFixture) {
		ids := []int64{b.addUser("first", admins), b.addUser("second", admins)}
		var wg sync.WaitGroup
		results := make([]error, len(ids))
		for i, id := range ids {
			wg.Go(func() {
				results[i] = b.store.UpdateUser(b.ctx, id, xxladapter.UserChange{Grants: &[]xxladapter.Grant{}})
			})
		}
		wg.Wait()
		b.NotEqual(results[0] == nil, results[1] == nil, "%v", results)
	}},
	{"ARemovedUserIsGoneAndItsNameFree", func(b *fullFixture) {
		b.addUser("admin", admins)
		id, err := b.store.CreateUser(b.ctx, &xxladapter.User{
			Name: "one", Subject: "s", Grants: []xxladapter.Grant{{GroupID: 1, Role: xxladapter.RoleCoder}},
		}, false)
		b.NoError(err)
		b.addCredential(id, xxladapter.CredentialSession, "session", 0, 9)
		b.addCredential(id, xxladapter.CredentialToken, "token", 0, 9)
		b.NoError(b.store.RemoveUser(b.ctx, id))
		b.Nil(b.user(id))
		b.Empty(b.credentials())
		b.ErrorIs(b.store.RemoveUser(b.ctx, id), xxladapter.ErrNotFound)
		b.ErrorIs(b.store.UpdateUser(b.ctx, id, xxladapter.UserChange{}), xxladapter.ErrNotFound)
		again, err := b.store.CreateUser(b.ctx, &xxladapter.User{Name: "one", Subject: "s"}, false)
		b.NoError(err)
		b.Empty(b.user(again).Grants, "what was granted before is not granted again")
	}},
	// Tests of sqlstore insert users into XXL-JOB's table, which no call of a store writes.
	{"NoUserOfTheStoreIsListedAsOneOfXXLJOB", func(b *fullFixture) {
		listed := func(name string) bool {
			found, err := b.store.UpstreamUsers(b.ctx, name)
			b.NoError(err)
			if name != "" {
				b.LessOrEqual(len(found), 1)
			}
			return slices.ContainsFunc(found, func(u xxladapter.UpstreamUser) bool { return u.Name == "one" })
		}
		b.addUser("admin", admins)
		id := b.addUser("one")
		b.False(listed("one"))
		b.False(listed(""))
		b.NoError(b.store.RemoveUser(b.ctx, id))
		b.False(listed("one"), "nor one that a user was")
		b.False(listed(""))
	}},
	{"RemovingAGroupRemovesItsGrants", func(b *fullFixture) {
		group := b.addGroup("short-lived")
		id := b.addUser(
			"one", xxladapter.Grant{GroupID: b.group, Role: xxladapter.RoleViewer},
			xxladapter.Grant{GroupID: group, Role: xxladapter.RoleCoder},
		)
		b.NoError(b.store.RemoveGroup(b.ctx, group))
		b.Equal([]xxladapter.Grant{{GroupID: b.group, Role: xxladapter.RoleViewer}}, b.user(id).Grants)
	}},
}

var credentialRules = []fullRule{
	{"ACredentialIsFoundByItsDigest", func(b *fullFixture) {
		id := b.addUser("one", admins, xxladapter.Grant{GroupID: 7, Role: xxladapter.RoleCoder})
		c := &xxladapter.Credential{
			UserID: id, Kind: xxladapter.CredentialToken, Digest: "d1", Name: "ci", Role: xxladapter.RoleViewer,
			Groups:  []int64{7, 8},
			Address: "10.0.0.1", Created: at(0).Truncate(time.Millisecond), Expires: at(9).Truncate(time.Millisecond),
		}
		var err error
		want := *c
		want.ID, err = b.store.CreateCredential(b.ctx, c)
		b.NoError(err)
		got, user, err := b.store.Credential(b.ctx, "d1")
		b.NoError(err)
		b.Equal(&want, got)
		b.Equal(b.user(id), user)
		_, _, err = b.store.Credential(b.ctx, "d2")
		b.ErrorIs(err, xxladapter.ErrNotFound)

		b.NoError(b.store.UseCredential(b.ctx, want.ID, at(3), at(20)))
		want.Used, want.Expires = at(3).Truncate(time.Millisecond), at(20).Truncate(time.Millisecond)
		list, err := b.store.Credentials(b.ctx, id, xxladapter.CredentialToken)
		b.NoError(err)
		b.Equal([]*xxladapter.Credential{&want}, list)
		list, err = b.store.Credentials(b.ctx, id, xxladapter.CredentialSession)
		b.NoError(err)
		b.Empty(list)
		b.NoError(b.store.UseCredential(b.ctx, absent, at(3), at(20)))
	}},
	{"ACredentialIsFoundByAUserWithoutGrants", func(b *fullFixture) {
		b.addCredential(b.addUser("plain"), xxladapter.CredentialSession, "d", 0, 9)
		_, user, err := b.store.Credential(b.ctx, "d")
		b.NoError(err)
		b.Equal("plain", user.Name)
		b.Empty(user.Grants)
	}},
	{"ANewCredentialRemovesExpiredOnes", func(b *fullFixture) {
		id := b.addUser("one")
		b.addCredential(id, xxladapter.CredentialSession, "early", 0, 5)
		b.addCredential(id, xxladapter.CredentialToken, "late", 0, 6)
		b.Equal([]string{"early", "late"}, b.credentials())
		b.addCredential(id, xxladapter.CredentialSession, "new", 5, 9)
		b.Equal([]string{"new", "late"}, b.credentials())
	}},
	{"ANewPasswordEndsTheOtherSessions", func(b *fullFixture) {
		one, two := b.addUser("one"), b.addUser("two")
		mine := b.addCredential(one, xxladapter.CredentialSession, "mine", 0, 9)
		b.addCredential(one, xxladapter.CredentialSession, "elsewhere", 0, 9)
		b.addCredential(one, xxladapter.CredentialToken, "token", 0, 9)
		b.addCredential(two, xxladapter.CredentialSession, "another's", 0, 9)
		b.addCredential(two, xxladapter.CredentialToken, "another's token", 0, 9)
		b.NoError(b.store.UpdateUser(b.ctx, one, xxladapter.UserChange{}))
		b.Len(b.credentials(), 5)
		b.NoError(b.store.UpdateUser(b.ctx, one, xxladapter.UserChange{EndSessions: true, Except: mine}))
		b.Equal([]string{"mine", "another's", "token", "another's token"}, b.credentials())
		b.NoError(b.store.UpdateUser(b.ctx, one, xxladapter.UserChange{EndSessions: true}))
		b.Equal([]string{"another's", "token", "another's token"}, b.credentials())
		b.as("PUT /users/{id}")
		b.NoError(b.store.UpdateUser(b.ctx, one, xxladapter.UserChange{EndTokens: true}))
		b.Equal([]string{"another's", "another's token"}, b.credentials())
		row := b.lastAudit()
		b.Equal(xxladapter.AuditToken, row.Object.Kind)
		b.Nil(row.Changes[0].After, "the end of a token is audited")

		b.as("DELETE /users/{id}")
		b.NoError(b.store.RemoveUser(b.ctx, two))
		b.Empty(b.credentials())
		rows, err := b.store.AuditRows(b.ctx, xxladapter.AuditFilter{Newest: true, Limit: 2})
		b.NoError(err)
		b.Equal([]string{xxladapter.AuditUser, xxladapter.AuditToken}, []string{rows[0].Object.Kind, rows[1].Object.Kind})
		b.Equal(rows[0].Call, rows[1].Call)
	}},
	{"AUserHasBoundedCredentials", func(b *fullFixture) {
		one, two := b.addUser("one"), b.addUser("two")
		for i := range xxladapter.MaxCredentials {
			b.addCredential(one, xxladapter.CredentialSession, fmt.Sprint("session ", i), 0, 9)
			b.addCredential(one, xxladapter.CredentialToken, fmt.Sprint("token ", i), 0, 9)
		}
		_, err := b.store.CreateCredential(b.ctx, &xxladapter.Credential{
			UserID: one, Kind: xxladapter.CredentialToken, Digest: "too many", Created: at(0), Expires: at(9),
		})
		b.ErrorIs(err, xxladapter.ErrConflict)
		first, _, err := b.store.Credential(b.ctx, "session 0")
		b.NoError(err)
		b.NoError(b.store.UseCredential(b.ctx, first.ID, at(1), at(9)))
		b.addCredential(one, xxladapter.CredentialSession, "one more", 0, 9)
		b.addCredential(two, xxladapter.CredentialToken, "another's", 0, 9)
		_, _, err = b.store.Credential(b.ctx, "session 0")
		b.NoError(err)
		_, _, err = b.store.Credential(b.ctx, "session 1")
		b.ErrorIs(err, xxladapter.ErrNotFound, "the one that was used the longest ago makes room")
		b.Len(b.credentials(), 2*xxladapter.MaxCredentials+1)
	}},
	{"ACredentialIsRemovedByItsUser", func(b *fullFixture) {
		one, two := b.addUser("one"), b.addUser("two")
		id := b.addCredential(one, xxladapter.CredentialSession, "d", 0, 9)
		b.ErrorIs(b.store.RemoveCredential(b.ctx, two, id), xxladapter.ErrNotFound)
		b.Len(b.credentials(), 1)
		b.NoError(b.store.RemoveCredential(b.ctx, one, id))
		b.Empty(b.credentials())
		id = b.addCredential(one, xxladapter.CredentialToken, "d", 0, 9)
		b.NoError(b.store.RemoveCredential(b.ctx, 0, id))
	}},
}
