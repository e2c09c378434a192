package xxladapter

import "slices"

// A Role says what its holder may do. Each role includes those before it.
type Role string

const (
	RoleViewer   Role = "viewer"   // read
	RoleOperator Role = "operator" // and start, stop, trigger and kill
	RoleEditor   Role = "editor"   // and change jobs
	RoleCoder    Role = "coder"    // and change scripts, which executors run
	RoleAdmin    Role = "admin"    // and change groups; for all groups, users too
)

// Values lists all roles, the least one first.
func (Role) Values() []Role {
	return []Role{RoleViewer, RoleOperator, RoleEditor, RoleCoder, RoleAdmin}
}

// Validate refuses a role that does not exist, the empty one included.
func (r Role) Validate() error { return checkOneOf("role", r) }

// Includes reports whether r permits all that other permits. The empty role permits nothing, and is
// included in all. A role that does not exist permits nothing, and is included in none.
func (r Role) Includes(other Role) bool {
	return other == "" || other.rank() >= 0 && r.rank() >= other.rank()
}

// rank returns the position of a role in Values, or -1.
func (r Role) rank() int { return slices.Index(r.Values(), r) }

// A Grant gives a role for one group, or for all.
type Grant struct {
	GroupID int64 // 0 means all groups, those of the future included
	Role    Role
}
