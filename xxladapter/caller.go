package xxladapter

import "context"

// An ActorKind says how the caller of a change has proved who it is.
type ActorKind string

const (
	ActorOpen      ActorKind = "open"      // not at all: on the loopback interface, while there are no users
	ActorUser      ActorKind = "user"      // a user with a session
	ActorToken     ActorKind = "token"     // a user's personal token
	ActorOperator  ActorKind = "operator"  // a token from the scheduler's own settings
	ActorExecutor  ActorKind = "executor"  // an executor, or a program that calls as one
	ActorCommand   ActorKind = "command"   // a user of this machine, by a command on the store itself
	ActorScheduler ActorKind = "scheduler" // a scheduler node by itself
)

// Values lists all kinds.
func (ActorKind) Values() []ActorKind {
	return []ActorKind{ActorOpen, ActorUser, ActorToken, ActorOperator, ActorExecutor, ActorCommand, ActorScheduler}
}

// An Actor is the caller of a change. The zero value is the scheduler itself.
type Actor struct {
	Kind ActorKind `json:"kind" doc:"How the caller has proved who it is; scheduler and command are not calls."`
	// Name is the user's name for a session, "user/token name" for a personal token, the app name
	// for an executor, which may be empty, the name of the user or the node for a command and a
	// scheduler, and empty for the other kinds. At most 255 characters.
	Name string `json:"name,omitempty" doc:"The user's name, user/token name, or the name of the app, the node or the machine's user."`
	// Address is the IP address of the connection, without a port: the proxy's if there is one.
	Address string `json:"address,omitempty" doc:"The IP address that the call came from."`
}

// actorKey marks the actor in a context.
type actorKey struct{}

// WithActor returns a context for the calls that an actor causes.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor of a context from [WithActor]. Without one it is the zero value: the
// scheduler itself.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// Text names the actor in one line: its kind and its name, if it has one. Without an actor it is
// empty.
func (a Actor) Text() string {
	if a.Name == "" {
		return string(a.Kind)
	}
	return string(a.Kind) + " " + a.Name
}

// callKey marks the call in a context.
type callKey struct{}

// WithCall returns a context for a call that may change something, such as "PUT /api/v1/jobs/{id}".
// Stores audit what is done with it. An empty call ends that: what follows is not audited.
func WithCall(ctx context.Context, call string) context.Context {
	return context.WithValue(ctx, callKey{}, call)
}

// CallOf returns the call of ctx, or an empty text.
func CallOf(ctx context.Context) string {
	call, _ := ctx.Value(callKey{}).(string)
	return call
}

// forUser marks a context.
type forUser struct{}

// ForUser returns a context for calls of the store that a user waits for, such as those of the
// management API. Any number of them may come at once, and each may be slow, so a store reserves
// room for the calls of its scheduler.
func ForUser(ctx context.Context) context.Context { return context.WithValue(ctx, forUser{}, true) }

// IsForUser reports whether ctx comes from [ForUser].
func IsForUser(ctx context.Context) bool { return ctx.Value(forUser{}) != nil }
