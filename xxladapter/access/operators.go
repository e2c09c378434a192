package access

// A Scope is what the management API lets its caller do.
type Scope int

const (
	Nothing Scope = iota
	Read          // look
	Full          // look and change
)

// Operators knows the tokens of the management API. The zero value lets nobody
// do anything; it must not be changed once it is used.
type Operators struct {
	open       bool
	full, read []digest
}

// NewOperators takes the tokens for each scope. Empty ones are left out; with
// none at all everybody may do everything, which is for loopback only.
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

// Open reports whether everybody may do everything.
func (o Operators) Open() bool { return o.open }

// Scope is what the bearer of token may do. It compares with every known token,
// so that the time says nothing about which one was nearly right.
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
