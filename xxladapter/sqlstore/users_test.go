//go:build unix

package sqlstore

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// A writer runs statements on a store.
type writer interface {
	Write(ctx context.Context, apply func(context.Context, *database.Tx) error) error
}

// TestUsersOfXXLJOBAreRead checks on each database what is read from XXL-JOB's table. Users whose
// name is or was one of ours are left out.
func TestUsersOfXXLJOBAreRead(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]storetest.Opener{"SQLite": openCopy, "MySQL": openMySQLEmpty, "Postgres": openPostgresEmpty} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, time.Now)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			ctx := t.Context()
			require.NoError(t, s.(writer).Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				_, err := tx.Exec(ctx, `DELETE FROM xxl_job_user`)
				for _, row := range [][]any{
					{"zoe", "0123", 1, nil}, {"anna", "4567", 0, "3, 7,x,"}, {"Mine", "89ab", 0, ""},
				} {
					if err == nil {
						_, err = tx.Exec(ctx, `INSERT INTO xxl_job_user (username, password, role, permission) VALUES (?, ?, ?, ?)`, row...)
					}
				}
				return err
			}))
			zoe := xxladapter.UpstreamUser{Name: "zoe", Password: "0123", Admin: true}
			anna := xxladapter.UpstreamUser{Name: "anna", Password: "4567", Groups: []int64{3, 7}}
			mine := xxladapter.UpstreamUser{Name: "Mine", Password: "89ab"}
			list := func(name string) []xxladapter.UpstreamUser {
				found, err := s.UpstreamUsers(ctx, name)
				require.NoError(t, err)
				return found
			}
			require.Equal(t, []xxladapter.UpstreamUser{mine, anna, zoe}, list(""))
			require.Equal(t, []xxladapter.UpstreamUser{anna}, list("anna"))
			require.Empty(t, list("nobody"))
			require.Empty(t, list("ANNA"), "names are compared exactly, whatever the column's collation")

			id, err := s.CreateUser(ctx, &xxladapter.User{Name: "Mine"}, false)
			require.NoError(t, err)
			require.Empty(t, list("Mine"))
			require.NoError(t, s.RemoveUser(ctx, id))
			require.Empty(t, list("Mine"), "a removed user does not come back by its old password")
			require.Equal(t, []xxladapter.UpstreamUser{anna, zoe}, list(""))
		})
	}
}

// TestTheAuditOfUsersIsWrittenLast lets no row of a user change once the audit has a row: the end
// of the chain is the last lock of every transaction, or two of them could wait for each other.
func TestTheAuditOfUsersIsWrittenLast(t *testing.T) {
	t.Parallel()
	password, grants := "hash", []xxladapter.Grant{{GroupID: 7, Role: xxladapter.RoleViewer}}
	for name, change := range map[string]func(context.Context, xxladapter.Store, int64) error{
		"RemoveUser": func(ctx context.Context, s xxladapter.Store, id int64) error { return s.RemoveUser(ctx, id) },
		"UpdateUser": func(ctx context.Context, s xxladapter.Store, id int64) error {
			return s.UpdateUser(ctx, id, xxladapter.UserChange{
				Password: &password, Grants: &grants, EndSessions: true, EndTokens: true,
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := openCopy(t, time.Now)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			ctx := t.Context()
			id, err := s.CreateUser(ctx, &xxladapter.User{
				Name: "anna", Grants: []xxladapter.Grant{{GroupID: 1, Role: xxladapter.RoleViewer}},
			}, false)
			require.NoError(t, err)
			for _, digest := range []string{"one", "two"} {
				_, err := s.CreateCredential(ctx, &xxladapter.Credential{
					UserID: id, Kind: xxladapter.CredentialToken, Digest: digest, Name: digest, Role: xxladapter.RoleViewer,
					Created: time.Now(), Expires: time.Now().Add(time.Hour),
				})
				require.NoError(t, err)
			}
			require.NoError(t, s.(writer).Write(ctx, func(ctx context.Context, tx *database.Tx) error {
				for trigger, on := range map[string]string{
					"a": "UPDATE ON xxlwheel_user", "b": "DELETE ON xxlwheel_grant", "c": "DELETE ON xxlwheel_credential",
				} {
					if _, err := tx.Exec(ctx, `CREATE TRIGGER `+trigger+` BEFORE `+on+
						` WHEN EXISTS (SELECT 1 FROM xxlwheel_audit) BEGIN SELECT RAISE(ABORT, 'after the audit'); END`); err != nil {
						return err
					}
				}
				return nil
			}))
			require.NoError(t, change(xxladapter.WithCall(ctx, "a call"), s, id))
			rows, err := s.AuditRows(ctx, xxladapter.AuditFilter{Limit: 10})
			require.NoError(t, err)
			require.Len(t, rows, 3, "the user and two tokens")
		})
	}
}
