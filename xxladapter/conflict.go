package xxladapter

import (
	"bytes"
	"encoding/json"
)

// A FieldConflict is a field that two callers have seen differently.
type FieldConflict struct {
	Field  string          `json:"field"`
	Yours  json.RawMessage `json:"yours,omitempty" doc:"The value in this call; omitted if the call does not give the field."`
	Stored json.RawMessage `json:"stored" doc:"The value now."`
	Base   json.RawMessage `json:"base,omitempty" doc:"The value that this call started from; omitted if it is not known any more."`
}

// FieldConflicts compares three states of one object: base, from which a caller started; stored, as
// it is now; and yours, the fields that the caller gives. It returns the fields of yours that are
// stored otherwise, and the other ones that differ from base: somebody else has changed them. Fields
// that base lacks are not known any more. Fields that stored lacks are left out. The order is that of
// stored; secret values are concealed.
func FieldConflicts(base, stored, yours Fields) []FieldConflict {
	from, mine := base.byName(), yours.byName()
	var conflicts []FieldConflict
	for _, is := range stored {
		c := FieldConflict{Field: is.Name, Stored: is.shown()}
		was, known := from[is.Name]
		differs := known && !bytes.Equal(was.JSON(), is.JSON())
		if known {
			c.Base = was.shown()
		}
		if wants, given := mine[is.Name]; given {
			c.Yours = wants.shown()
			differs = !bytes.Equal(wants.JSON(), is.JSON())
		}
		if differs {
			conflicts = append(conflicts, c)
		}
	}
	return conflicts
}

func (f Fields) byName() map[string]Field {
	fields := make(map[string]Field, len(f))
	for _, field := range f {
		fields[field.Name] = field
	}
	return fields
}
