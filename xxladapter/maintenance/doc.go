// Package maintenance holds the background services that keep a store in order while jobs run. Each
// service has a Run that blocks until its context ends.
package maintenance
