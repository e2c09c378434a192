package database

import "context"

// A Front stands before the tables and holds what was acknowledged and is not in them yet.
type Front interface {
	// Read returns when the tables have what was acknowledged before the call, as far as the query
	// of ctx needs it.
	Read(ctx context.Context) error
	// Begin is called before a transaction with the contexts of the calls that share it. No other
	// transaction runs until End.
	Begin(calls []context.Context) FrontTx
}

// A FrontTx is the part of a [Front] in one transaction.
type FrontTx interface {
	// Before brings the tables up to date, as the first part of the transaction.
	Before(ctx context.Context, tx *Tx) error
	// After reads what the calls have changed, as the last part of the transaction.
	After(ctx context.Context, tx *Tx) error
	// End is called once after the commit, or after the rollback.
	End(committed bool)
}
