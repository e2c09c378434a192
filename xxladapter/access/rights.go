package access

import (
	"context"
	"maps"
	"math"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// None is the role that permits nothing.
const None xxladapter.Role = ""

// Rights says what a caller may do: a role for all groups, and roles for single groups. The zero
// value permits nothing. Rights never change.
type Rights struct {
	all xxladapter.Role
	in  map[int64]xxladapter.Role
}

// NewRights returns the rights that grants give together. Among several grants for one group, the
// greatest role counts.
func NewRights(grants ...xxladapter.Grant) Rights {
	r := Rights{in: map[int64]xxladapter.Role{}}
	for _, g := range grants {
		switch {
		case g.Role.Validate() != nil: // an unknown role, which another program stored
		case g.GroupID == 0:
			r.all = greater(r.all, g.Role)
		default:
			r.in[g.GroupID] = greater(r.in[g.GroupID], g.Role)
		}
	}
	return r
}

// RightsForAll returns the rights of a role for all groups.
func RightsForAll(role xxladapter.Role) Rights { return Rights{all: role} }

func greater(a, b xxladapter.Role) xxladapter.Role {
	if a.Includes(b) {
		return a
	}
	return b
}

// lesser returns the lesser of two roles, or None if one of them does not exist.
func lesser(a, b xxladapter.Role) xxladapter.Role {
	switch {
	case a.Includes(b):
		return b
	case b.Includes(a):
		return a
	}
	return None
}

// In returns the role for a group.
func (r Rights) In(group int64) xxladapter.Role { return greater(r.all, r.in[group]) }

// Groups returns the ids of the groups that exist for the caller, in ascending order; nil means all
// groups.
func (r Rights) Groups() []int64 {
	if r.all != None {
		return nil
	}
	visible := []int64{}
	for _, group := range slices.Sorted(maps.Keys(r.in)) {
		if r.in[group] != None {
			visible = append(visible, group)
		}
	}
	return visible
}

// Grants returns the grants that give these rights: the grant for all groups first, then those for
// single groups by id.
func (r Rights) Grants() []xxladapter.Grant {
	list := []xxladapter.Grant{}
	if r.all != None {
		list = append(list, xxladapter.Grant{Role: r.all})
	}
	for _, group := range slices.Sorted(maps.Keys(r.in)) {
		if role := r.in[group]; role != None {
			list = append(list, xxladapter.Grant{GroupID: group, Role: role})
		}
	}
	return list
}

// Within returns the rights that both r and limit give.
func (r Rights) Within(limit Rights) Rights {
	both := Rights{all: lesser(r.all, limit.all), in: map[int64]xxladapter.Role{}}
	for _, side := range []Rights{r, limit} {
		for group := range side.in {
			both.in[group] = lesser(r.In(group), limit.In(group))
		}
	}
	return both
}

// Values of where in [Rights.Decide], other than the id of a group.
const (
	Everywhere int64 = 0             // for all groups
	Somewhere  int64 = math.MinInt64 // for any group
)

// A Verdict is the answer of [Rights.Decide].
type Verdict int

const (
	Hidden    Verdict = iota // what the call is about does not exist for the caller
	Forbidden                // the caller's role does not suffice
	Allowed
)

// Decide says whether the caller may make a call that needs a role in a group, in all groups
// ([Everywhere]) or in at least one group ([Somewhere]). All decisions about rights are made here.
func (r Rights) Decide(need xxladapter.Role, where int64) Verdict {
	has := r.all
	switch where {
	case Everywhere:
	case Somewhere:
		for _, role := range r.in {
			has = greater(has, role)
		}
	default:
		if has = r.In(where); has == None {
			return Hidden
		}
	}
	if has == None && need != None || !has.Includes(need) {
		return Forbidden
	}
	return Allowed
}

// rightsKey marks the rights in a context.
type rightsKey struct{}

// WithRights returns a context for the calls of a caller with these rights.
func WithRights(ctx context.Context, r Rights) context.Context {
	return context.WithValue(ctx, rightsKey{}, r)
}

// RightsOf returns the rights of a context from [WithRights]; without any, the zero value, which
// permits nothing.
func RightsOf(ctx context.Context) Rights {
	r, _ := ctx.Value(rightsKey{}).(Rights)
	return r
}
