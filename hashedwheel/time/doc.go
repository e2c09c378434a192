// Package time is the standard package time with its timers on a hashed wheel.
package time
