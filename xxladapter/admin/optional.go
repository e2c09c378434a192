package admin

import "time"

// given omits the zero time, and years that JSON cannot represent.
func given(t time.Time) *time.Time {
	if year := t.UTC().Year(); t.IsZero() || year < 1 || year > 9999 {
		return nil
	}
	return &t
}

// set sets a field to the value of a form, unless it is not given.
func set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
