package xxladapter

import (
	"context"
	"time"
)

// An Order is a trigger by an operator or a program, who can find the run by the order's ID.
type Order struct {
	ID     int64
	JobID  int64
	FireID int64 // the fire that was planned for it
	// Key is the caller's idempotency key, of at most [MaxOrderKey] bytes; empty means none. A key
	// is unique within its job.
	Key string
	// Request distinguishes the requests that use one key; at most 64 bytes.
	Request string
	Created time.Time // in whole milliseconds

	// LogIDs are the log rows of the fire, by shard; empty until it is claimed. Retries have log
	// rows of their own.
	LogIDs []int64
	// Open is true while the fire is open.
	Open bool
}

// MaxOrderKey is the length of the longest [Order.Key] in bytes.
const MaxOrderKey = 128

// Ordered reports whether a fire of this type comes from an [Order].
func (t TriggerType) Ordered() bool {
	return t == TriggerManual || t == TriggerAPI || t == TriggerBackfill
}

// An OrderStore is the part of [Store] that remembers orders. They are deleted with their job, and
// by [PurgeStore.PurgeLogs] if [LogPurge.Orders] says so, their fire is no longer open, and no
// backfill of the job is running.
type OrderStore interface {
	// PlanOrder plans f, as PlanFires does, and stores an order for it in the same transaction. If
	// the job has an order with key already, it stores nothing and returns that order with a zero
	// fire. The error is [ErrNotFound] if there is a key and the job does not exist, and
	// an [Error] with [CodeInvalid] if a log row has no room for f.Param.
	//
	// REQUIRES: f.Type is Ordered.
	PlanOrder(ctx context.Context, f Fire, key, request string) (o *Order, fire Fire, err error)
	// OrderByKey returns the order with key that the job has, or nil if there is none.
	//
	// REQUIRES: key is not empty.
	OrderByKey(ctx context.Context, jobID int64, key string) (*Order, error)
	// Order returns an order. The error is [ErrNotFound] if there is none.
	Order(ctx context.Context, id int64) (*Order, error)
}
