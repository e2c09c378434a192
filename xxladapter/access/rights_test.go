package access

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestDecide(t *testing.T) {
	const (
		none     = None
		viewer   = xxladapter.RoleViewer
		operator = xxladapter.RoleOperator
		editor   = xxladapter.RoleEditor
		coder    = xxladapter.RoleCoder
		admin    = xxladapter.RoleAdmin
	)
	grant := func(group int64, role xxladapter.Role) xxladapter.Grant {
		return xxladapter.Grant{GroupID: group, Role: role}
	}
	for _, tt := range []struct {
		grants []xxladapter.Grant
		need   xxladapter.Role
		where  int64
		want   Verdict
	}{
		// No grant: no group exists.
		{nil, viewer, 7, Hidden},
		{nil, none, 7, Hidden},
		{nil, viewer, Somewhere, Forbidden},
		{nil, viewer, Everywhere, Forbidden},
		{nil, none, Somewhere, Allowed}, // calls for anyone

		// A grant for one group.
		{[]xxladapter.Grant{grant(7, operator)}, operator, 7, Allowed},
		{[]xxladapter.Grant{grant(7, operator)}, viewer, 7, Allowed},
		{[]xxladapter.Grant{grant(7, operator)}, editor, 7, Forbidden},
		{[]xxladapter.Grant{grant(7, operator)}, viewer, 8, Hidden},
		{[]xxladapter.Grant{grant(7, admin)}, viewer, 8, Hidden},
		{[]xxladapter.Grant{grant(7, admin)}, viewer, Everywhere, Forbidden},
		{[]xxladapter.Grant{grant(7, operator)}, operator, Somewhere, Allowed},
		{[]xxladapter.Grant{grant(7, operator)}, coder, Somewhere, Forbidden},

		// A grant for all.
		{[]xxladapter.Grant{grant(0, viewer)}, viewer, 8, Allowed},
		{[]xxladapter.Grant{grant(0, viewer)}, operator, 8, Forbidden},
		{[]xxladapter.Grant{grant(0, coder)}, coder, Everywhere, Allowed},
		{[]xxladapter.Grant{grant(0, coder)}, admin, Everywhere, Forbidden},

		// The greatest grant counts, in any order.
		{[]xxladapter.Grant{grant(0, viewer), grant(7, editor)}, editor, 7, Allowed},
		{[]xxladapter.Grant{grant(7, editor), grant(0, viewer)}, editor, 8, Forbidden},
		{[]xxladapter.Grant{grant(7, editor), grant(7, viewer)}, editor, 7, Allowed},
		{[]xxladapter.Grant{grant(0, editor), grant(7, viewer)}, editor, 7, Allowed},

		// What is stored and makes no sense gives nothing.
		{[]xxladapter.Grant{grant(0, "root"), grant(7, "ADMIN")}, viewer, 7, Hidden},
		{[]xxladapter.Grant{grant(0, admin)}, "root", 7, Forbidden},
	} {
		require.Equal(t, tt.want, NewRights(tt.grants...).Decide(tt.need, tt.where), "%+v", tt)
	}
	require.Equal(t, Hidden, Rights{}.Decide(viewer, 1))
	require.Equal(t, Hidden, RightsOf(t.Context()).Decide(viewer, 1), "a context without rights")
}

// TestALimitThatMakesNoSenseLeavesNothing checks roles that another program has stored.
func TestALimitThatMakesNoSenseLeavesNothing(t *testing.T) {
	all := NewRights(xxladapter.Grant{Role: xxladapter.RoleAdmin}, xxladapter.Grant{GroupID: 7, Role: xxladapter.RoleAdmin})
	for _, limit := range []Rights{RightsForAll("root"), RightsForAll(None)} {
		for _, both := range []Rights{all.Within(limit), limit.Within(all)} {
			require.Equal(t, Hidden, both.Decide(xxladapter.RoleViewer, 7))
			require.Equal(t, Forbidden, both.Decide(xxladapter.RoleViewer, Everywhere))
		}
	}
}

func TestGroupsThatExist(t *testing.T) {
	require.Nil(t, RightsForAll(xxladapter.RoleViewer).Groups(), "all")
	require.Equal(t, []int64{}, Rights{}.Groups(), "none, which is not all")
	require.Equal(t, []int64{3, 7}, NewRights(
		xxladapter.Grant{GroupID: 7, Role: xxladapter.RoleViewer}, xxladapter.Grant{GroupID: 3, Role: xxladapter.RoleAdmin},
		xxladapter.Grant{GroupID: 5, Role: "gone"},
	).Groups())
}

// TestLimitedRightsGiveWhatBothSidesGive compares Within with the definition, and Grants with the
// rights that they give.
func TestLimitedRightsGiveWhatBothSidesGive(t *testing.T) {
	roles := append([]xxladapter.Role{None}, xxladapter.Role("").Values()...)
	some := rapid.Custom(func(t *rapid.T) Rights {
		var grants []xxladapter.Grant
		for group := range int64(4) {
			grants = append(grants, xxladapter.Grant{GroupID: group, Role: rapid.SampledFrom(roles).Draw(t, "role")})
		}
		return NewRights(grants...)
	})
	rapid.Check(t, func(t *rapid.T) {
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		both, again := a.Within(b), NewRights(a.Grants()...)
		for group := range int64(6) { // two more than have grants
			for _, need := range roles[1:] {
				want := a.Decide(need, group) == Allowed && b.Decide(need, group) == Allowed
				require.Equal(t, want, both.Decide(need, group) == Allowed, "%s in %d", need, group)
				require.Equal(t, a.Decide(need, group), again.Decide(need, group))
			}
		}
	})
}
