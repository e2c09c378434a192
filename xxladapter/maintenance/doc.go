// Package maintenance holds the background work that keeps a store in order
// while jobs run. Each service has a Run that blocks until its context ends.
package maintenance
