package trigger

import (
	"context"
	"errors"
)

// errWithheld says that a request was not sent because the node could no longer rely on the lease
// under which the fire was claimed.
var errWithheld = errors.New("trigger: not sent, the node can no longer rely on its lease")

// guardKey is the context key of a func() bool.
type guardKey struct{}

// sendOnlyIf returns a context with which a request calls may before each write. Once may returns
// false, nothing more is sent and the request fails with errWithheld.
func sendOnlyIf(ctx context.Context, may func() bool) context.Context {
	return context.WithValue(ctx, guardKey{}, may)
}

// guardOf returns the function that a call with this context asks, or nil.
func guardOf(ctx context.Context) func() bool {
	may, _ := ctx.Value(guardKey{}).(func() bool)
	return may
}
