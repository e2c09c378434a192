package access

import "context"

type queuedKey struct{}

// WithQueuedApp returns the context of a call that an executor made over a queue, on a subject that
// belongs to its app: whatever token it has, it acts for that app alone.
func WithQueuedApp(ctx context.Context, app string) context.Context {
	return context.WithValue(ctx, queuedKey{}, app)
}

// QueuedApp returns the app of [WithQueuedApp], and false for a call that came by another way.
func QueuedApp(ctx context.Context) (app string, ok bool) {
	app, ok = ctx.Value(queuedKey{}).(string)
	return app, ok
}
