package xxladapter

import "context"

// forUser marks a context.
type forUser struct{}

// ForUser returns a context for calls of the store that a user waits for, such as those of the
// management API. Any number of them may come at once, and each may be slow, so a store reserves
// room for the calls of its scheduler.
func ForUser(ctx context.Context) context.Context { return context.WithValue(ctx, forUser{}, true) }

// IsForUser reports whether ctx comes from [ForUser].
func IsForUser(ctx context.Context) bool { return ctx.Value(forUser{}) != nil }
