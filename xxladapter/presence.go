package xxladapter

import "context"

// A PresenceStore is the part of [Store] by which nodes notice at once that another one has died. A
// node holds its presence on a connection, which ends with its process. That gives hints only: no
// other call depends on it. A node that is frozen keeps its presence, and a node whose connection
// is cut loses it and is alive.
type PresenceStore interface {
	// HoldPresence keeps a lock that is named by the term, on a connection of its own, until ctx or
	// the connection ends, and returns the error of either. It waits while another connection has
	// the lock. A store without such locks returns [errors.ErrUnsupported]. Close ends the
	// presence.
	HoldPresence(ctx context.Context, term Term) error
	// AwaitAbsence returns nil once nobody holds the term's lock. waited reports whether somebody
	// held it before. An error of ctx or of the connection says nothing about the presence. A store
	// without such locks returns [errors.ErrUnsupported].
	AwaitAbsence(ctx context.Context, term Term) (waited bool, err error)
}
