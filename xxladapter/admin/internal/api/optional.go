package api

import "time"

// Given returns a pointer to t, or nil for the zero time and for years that JSON cannot represent.
func Given(t time.Time) *time.Time {
	if year := t.UTC().Year(); t.IsZero() || year < 1 || year > 9999 {
		return nil
	}
	return &t
}

// Set sets a field to a value that a form gives, and leaves the field alone if value is nil.
func Set[T any](field *T, value *T) {
	if value != nil {
		*field = *value
	}
}
