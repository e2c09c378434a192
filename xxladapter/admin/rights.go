package admin

import (
	"context"
	"net/http"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
)

// A need is what a call requires of its caller. It stands beside the call's route.
type need struct {
	role xxladapter.Role
	// everywhere says that the role must be for all groups. Otherwise the role for any group is
	// enough to make the call, which then concerns only groups for which the caller has the role.
	everywhere bool
	// public says that the caller need not be known.
	public bool
}

// The needs of calls that concern groups. Their handlers reach what belongs to a group through
// methods that check the role for that very group by [allow], and through the store, which shows
// only what is granted.
var (
	viewer   = need{role: xxladapter.RoleViewer}
	operator = need{role: xxladapter.RoleOperator}
	editor   = need{role: xxladapter.RoleEditor}
	coder    = need{role: xxladapter.RoleCoder}
	admin    = need{role: xxladapter.RoleAdmin}
)

// anyone is the need of calls that show nothing of any group: the caller must be known, and may
// have no role at all.
var anyone = need{}

// public is the need of calls that sign users in.
var public = need{public: true}

// forAll returns the need of the role for all groups.
func (n need) forAll() need { return need{role: n.role, everywhere: true} }

// where returns the place for which the need must hold before the call's handler runs.
func (n need) where() int64 {
	if n.everywhere {
		return access.Everywhere
	}
	return access.Somewhere
}

// String returns the role that the need is about, with its place. A need without a role is met by
// every caller, so that no refusal shows it.
func (n need) String() string {
	if n.everywhere {
		return string(n.role) + " for all groups"
	}
	return string(n.role)
}

// needKey marks the role that the call in a context needs.
type needKey struct{}

// withRole returns the context of a call that needs the role.
func withRole(ctx context.Context, role xxladapter.Role) context.Context {
	return context.WithValue(ctx, needKey{}, role)
}

// allow refuses a call that concerns the group unless the caller has the role that the call needs.
// absent is the error for a group that does not exist for the caller.
func allow(ctx context.Context, group int64, absent error) error {
	role, known := ctx.Value(needKey{}).(xxladapter.Role)
	if !known {
		role = xxladapter.RoleAdmin
	}
	return allowRole(ctx, role, group, absent)
}

// allowRole refuses a call as allow does, but by the given role instead of that of the call.
func allowRole(ctx context.Context, role xxladapter.Role, group int64, absent error) error {
	switch access.RightsOf(ctx).Decide(role, group) {
	case access.Allowed:
		return nil
	case access.Hidden:
		return absent
	}
	if group == access.Everywhere {
		return forbidden("this needs the role %s for all groups", role)
	}
	return forbidden("this needs the role %s for group %d", role, group)
}

func forbidden(format string, args ...any) error {
	return xxladapter.Refusef(xxladapter.CodeForbidden, format, args...)
}

// admit refuses an authenticated caller without the rights for a call. The returned request carries
// the need; r is returned with an error.
func admit(r *http.Request, n need) (*http.Request, error) {
	if access.RightsOf(r.Context()).Decide(n.role, n.where()) != access.Allowed {
		return r, forbidden("%s %s needs the role %s", r.Method, r.URL.Path, n)
	}
	return r.WithContext(withRole(r.Context(), n.role)), nil
}

// sees reports whether a group exists for the caller.
func sees(ctx context.Context, group int64) bool {
	return access.RightsOf(ctx).Decide(xxladapter.RoleViewer, group) == access.Allowed
}

// seesAll reports whether every group exists for the caller.
func seesAll(ctx context.Context) bool { return sees(ctx, access.Everywhere) }

// isAdmin reports whether the caller is an administrator of all groups.
func isAdmin(ctx context.Context) bool {
	return access.RightsOf(ctx).Decide(xxladapter.RoleAdmin, access.Everywhere) == access.Allowed
}
