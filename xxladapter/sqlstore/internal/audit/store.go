// Package audit keeps the audit of a SQL store: rows that form a chain, each with the hash of the
// row before it. Other packages append the changes that they make, as the last act of their
// transactions. It needs nothing but a database.
package audit

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Store is the [xxladapter.AuditStore] of a database.
type Store struct{ db *database.DB }

// New returns the audit of a database.
func New(db *database.DB) *Store { return &Store{db} }

var _ xxladapter.AuditStore = (*Store)(nil)
