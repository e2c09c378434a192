// Package maintenance holds the background services that keep a store in order while jobs run. Each
// service has a Run that blocks until its context ends.
//
// The fields of a service are its options. Run does nothing and returns an error if a required one
// is nil, or one is out of range; the error names it. A nil Logger means slog.Default().
package maintenance
