package access

// A Scope is what the management API permits its caller to do.
type Scope int

const (
	Nothing Scope = iota
	Read          // read only
	Full          // read and change
)

// Operators knows the tokens of the management API. The zero value permits nothing. It must not be
// changed once it is in use.
type Operators struct {
	open       bool
	full, read []digest
}

// NewOperators returns the rule for the tokens of each scope. Empty tokens are ignored. Without any
// token every caller has full access, which is for loopback only.
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

// Open reports whether every caller has full access.
func (o Operators) Open() bool { return o.open }

// Scope returns what the bearer of token may do. It compares token with every known one, so that
// the duration does not show which one was nearly right.
func (o Operators) Scope(token string) Scope {
	if o.open {
		return Full
	}
	got, scope := digestOf(token), Nothing
	for _, d := range o.read {
		if d.equal(got) {
			scope = max(scope, Read)
		}
	}
	for _, d := range o.full {
		if d.equal(got) {
			scope = Full
		}
	}
	return scope
}
