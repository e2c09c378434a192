// Package users keeps people in a SQL store: who they are, what they may do in which groups, and
// the sessions and personal tokens by which they are known. It knows nothing of jobs. Changes
// run one after the other, because they check rules that concern several rows, and are recorded in
// the audit. Neither holds for [Store.UseCredential].
package users

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/audit"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is the [xxladapter.UserStore] and [xxladapter.CredentialStore] of a database.
type Store struct {
	db    *database.DB
	audit *audit.Store
}

// New returns the users of a database.
func New(db *database.DB, audit *audit.Store) *Store { return &Store{db: db, audit: audit} }

var (
	_ xxladapter.UserStore       = (*Store)(nil)
	_ xxladapter.CredentialStore = (*Store)(nil)
)
