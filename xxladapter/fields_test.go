package xxladapter

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFieldConflicts(t *testing.T) {
	field := func(value any) Fields { return Fields{{Name: "title", Value: value}} }
	secret := func(value string) Fields { return Fields{{Name: "token", Value: value, Secret: true}} }
	conflict := func(yours, stored, base string) []FieldConflict {
		raw := func(text string) []byte {
			if text == "" {
				return nil
			}
			return []byte(text)
		}
		return []FieldConflict{{Field: "title", Yours: raw(yours), Stored: raw(stored), Base: raw(base)}}
	}
	ofToken := func(c []FieldConflict) []FieldConflict {
		c[0].Field = "token"
		return c
	}
	for name, c := range map[string]struct {
		base, stored, yours Fields
		want                []FieldConflict
	}{
		"nobody changed it":                      {field("a"), field("a"), nil, nil},
		"only the caller changes it":             {field("a"), field("a"), field("b"), conflict(`"b"`, `"a"`, `"a"`)},
		"somebody else changed it":               {field("a"), field("b"), nil, conflict("", `"b"`, `"a"`)},
		"both changed it":                        {field("a"), field("b"), field("c"), conflict(`"c"`, `"b"`, `"a"`)},
		"both changed it alike":                  {field("a"), field("b"), field("b"), nil},
		"the caller gives what it has read":      {field("a"), field("b"), field("a"), conflict(`"a"`, `"b"`, `"a"`)},
		"the base is not known, and it is given": {nil, field("b"), field("c"), conflict(`"c"`, `"b"`, "")},
		"the base is not known, and given alike": {nil, field("b"), field("b"), nil},
		"the base is not known, and not given":   {nil, field("b"), nil, nil},
		"values are compared as JSON":            {field([]int64{}), field([]int{}), nil, nil},
		"no list is another value than an empty one": {
			field([]string(nil)), field([]string{}), nil, conflict("", `[]`, `null`),
		},
		"stored lacks it":      {field("a"), nil, field("b"), nil},
		"a secret of two":      {secret("one"), secret("two"), secret("three"), ofToken(conflict(`"********"`, `"********"`, `"********"`))},
		"a secret was removed": {secret("one"), secret(""), nil, ofToken(conflict("", `""`, `"********"`))},
		"a secret is the same": {secret("one"), secret("one"), secret("one"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, FieldConflicts(c.base, c.stored, c.yours))
		})
	}
	stored := Fields{{Name: "b", Value: 1}, {Name: "a", Value: 1}}
	got := FieldConflicts(nil, stored, Fields{{Name: "a", Value: 2}, {Name: "b", Value: 2}})
	require.Equal(t, "b", got[0].Field, "the order is that of the stored fields")
	require.Equal(t, "a", got[1].Field)
}
