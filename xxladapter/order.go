package xxladapter

import (
	"context"
	"time"
)

// An Order is a trigger by an operator or a program: what its caller can find the
// run by.
type Order struct {
	ID     int64
	JobID  int64
	FireID int64 // the fire that was planned for it
	// Key is the caller's idempotency key, at most [MaxOrderKey] bytes; empty: none.
	// Each job has a key once.
	Key string
	// Request tells the orders of one key apart; at most 64 bytes.
	Request string
	Created time.Time // in whole milliseconds

	// LogIDs are the log rows of the fire, by shard; empty until it is claimed.
	// Retries have log rows of their own.
	LogIDs []int64
	// Open is whether the fire is still open.
	Open bool
}

// MaxOrderKey is the longest [Order.Key], in bytes.
const MaxOrderKey = 128

// Ordered reports whether a fire of this type comes from an [Order].
func (t TriggerType) Ordered() bool { return t == TriggerManual || t == TriggerAPI }

// An OrderStore is the part of [Store] that remembers orders. They are deleted
// with their job, and by [PurgeStore.PurgeLogs] for all jobs, when they were
// created before the given time.
type OrderStore interface {
	// PlanOrder plans f, as PlanFires does, and stores an order for it in the same
	// transaction. If the job has an order with key, nothing is stored: the order
	// comes back, and fire is zero. With a key the job must exist, else
	// [ErrNotFound].
	// REQUIRES: f.Type is Ordered.
	PlanOrder(ctx context.Context, f Fire, key, request string) (o *Order, fire Fire, err error)
	// Order returns an order. [ErrNotFound] if there is none.
	Order(ctx context.Context, id int64) (*Order, error)
}
