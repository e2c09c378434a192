package access

import "github.com/xxlwheel/xxlwheel/xxladapter"

// Operators knows the tokens of the management API that come from the scheduler's own settings.
// The zero value permits nothing. It must not be changed once it is in use.
type Operators struct {
	open       bool
	full, read []digest
}

// NewOperators returns the rule for the tokens of administrators and of viewers, for all groups.
// Empty tokens are ignored. Without any token every caller is an administrator, which is for
// loopback only.
func NewOperators(full, read []string) Operators {
	o := Operators{full: digests(full), read: digests(read)}
	o.open = len(o.full) == 0 && len(o.read) == 0
	return o
}

func digests(tokens []string) (list []digest) {
	for _, t := range tokens {
		if t != "" {
			list = append(list, digestOf(t))
		}
	}
	return list
}

// Open reports whether every caller is an administrator.
func (o Operators) Open() bool { return o.open }

// Role returns the role of the bearer of token, for all groups. It compares token with every known
// one, so that the duration does not show which one was nearly right.
func (o Operators) Role(token string) xxladapter.Role {
	if o.open {
		return xxladapter.RoleAdmin
	}
	got, role := digestOf(token), None
	for _, d := range o.read {
		if d.equal(got) {
			role = greater(role, xxladapter.RoleViewer)
		}
	}
	for _, d := range o.full {
		if d.equal(got) {
			role = xxladapter.RoleAdmin
		}
	}
	return role
}
