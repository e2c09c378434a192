package xxladapter

import "context"

// A SessionStore is the part of [Store] by which nodes notice at once that another one has died. It
// gives hints only: no other call depends on it. A node that is frozen keeps its session, and a
// node whose connection is cut loses it and is alive.
type SessionStore interface {
	// HoldSession keeps a lock that is named by the term, on a connection of its own, until ctx or
	// the connection ends, and returns the error of either. It waits while another session has the
	// lock. A store without sessions returns [errors.ErrUnsupported]. Close ends the session.
	HoldSession(ctx context.Context, term Term) error
	// AwaitSession returns nil once no session holds the term's lock. waited reports whether one
	// held it before. An error of ctx or of the connection says nothing about the session. A store
	// without sessions returns [errors.ErrUnsupported].
	AwaitSession(ctx context.Context, term Term) (waited bool, err error)
}
