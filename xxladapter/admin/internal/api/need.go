package api

import (
	"context"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Need is what a call requires of its caller. It stands beside the call's route.
type Need struct {
	role xxladapter.Role
	// everywhere says that the role must be for all groups. Otherwise the role for any group is
	// enough to make the call, which then concerns only groups for which the caller has the role.
	everywhere bool
	// Public says that the caller need not be known.
	Public bool
}

// The needs of calls that concern groups. Their handlers reach what belongs to a group through
// methods that check the role for that very group by [Allow], and through the store, which shows
// only what is granted.
var (
	Viewer   = Need{role: xxladapter.RoleViewer}
	Operator = Need{role: xxladapter.RoleOperator}
	Editor   = Need{role: xxladapter.RoleEditor}
	Coder    = Need{role: xxladapter.RoleCoder}
	Admin    = Need{role: xxladapter.RoleAdmin}
)

// Anyone is the need of calls that show nothing of any group: the caller must be known, and may
// have no role at all.
var Anyone = Need{}

// Public is the need of calls that sign users in.
var Public = Need{Public: true}

// ForAll returns the need of the role for all groups.
func (n Need) ForAll() Need { return Need{role: n.role, everywhere: true} }

// where returns the place for which the need must hold before the call's handler runs.
func (n Need) where() int64 {
	if n.everywhere {
		return access.Everywhere
	}
	return access.Somewhere
}

// String returns the role that the need is about, with its place. A need without a role is met by
// every caller, so that no refusal shows it.
func (n Need) String() string {
	if n.everywhere {
		return string(n.role) + " for all groups"
	}
	return string(n.role)
}

// needKey marks the role that the call in a context needs.
type needKey struct{}

// WithRole returns the context of a call that needs the role.
func WithRole(ctx context.Context, role xxladapter.Role) context.Context {
	return context.WithValue(ctx, needKey{}, role)
}

// Allow refuses a call that concerns the group unless the caller has the role that the call needs.
// absent is the error for a group that does not exist for the caller.
func Allow(ctx context.Context, group int64, absent error) error {
	role, known := ctx.Value(needKey{}).(xxladapter.Role)
	if !known {
		role = xxladapter.RoleAdmin
	}
	return AllowRole(ctx, role, group, absent)
}

// AllowRole refuses a call as Allow does, but by the given role instead of that of the call.
func AllowRole(ctx context.Context, role xxladapter.Role, group int64, absent error) error {
	switch access.RightsOf(ctx).Decide(role, group) {
	case access.Allowed:
		return nil
	case access.Hidden:
		return absent
	}
	if group == access.Everywhere {
		return Forbidden(errorrule.NeedsRoleForAll, "this needs the role %s for all groups", role)
	}
	return Forbidden(errorrule.NeedsRole, "this needs the role %s for group %d", role, group)
}

// Forbidden returns the error for a caller who may not do what it asks for.
func Forbidden(r errorrule.Rule, format string, args ...any) error {
	return xxladapter.Refusef(xxladapter.CodeForbidden, r, format, args...)
}

// Admit refuses an authenticated caller without the rights for a call. The returned request carries
// the need; r is returned with an error.
func Admit(r *http.Request, n Need) (*http.Request, error) {
	if access.RightsOf(r.Context()).Decide(n.role, n.where()) != access.Allowed {
		return r, Forbidden(errorrule.NeedsRoleForCall, "%s %s needs the role %s", r.Method, r.URL.Path, n)
	}
	return r.WithContext(WithRole(r.Context(), n.role)), nil
}

// Sees reports whether a group exists for the caller.
func Sees(ctx context.Context, group int64) bool {
	return access.RightsOf(ctx).Decide(xxladapter.RoleViewer, group) == access.Allowed
}

// SeesAll reports whether every group exists for the caller.
func SeesAll(ctx context.Context) bool { return Sees(ctx, access.Everywhere) }

// IsAdmin reports whether the caller is an administrator of all groups.
func IsAdmin(ctx context.Context) bool {
	return access.RightsOf(ctx).Decide(xxladapter.RoleAdmin, access.Everywhere) == access.Allowed
}
