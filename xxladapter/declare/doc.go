// Package declare compares calendars, groups and jobs that are declared in files with those of a
// store, as xxlwheel apply does.
//
// A declaration names a job by the app name of its group and a key, never by an id, so a file that
// was made in one environment can be applied in another. [Read] turns files into a [Document],
// [Compare] returns what a store has to do to be as declared, and [State.Export] declares what a
// store has. All are pure functions: clock, store and rights are the caller's.
package declare
