package xxladapter

import (
	"context"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A JobKey names a job within its group. Unlike an id it is the same in every environment, so
// declarations and child jobs are written with it.
type JobKey struct {
	JobID, GroupID int64
	Key            string // see [CheckJobKey]
	// Owner names the declaration that the job belongs to; empty means none. See [CheckOwner].
	Owner string
}

// MaxJobKey is the largest number of characters of a key.
const MaxJobKey = 64

// CheckJobKey refuses a text that cannot be a key: 1 to [MaxJobKey] letters and digits of any
// script, dots, hyphens and underscores.
func CheckJobKey(field, key string) error {
	if n := utf8.RuneCountInString(key); n < 1 || n > MaxJobKey || !utf8.ValidString(key) {
		return Invalidf(errorrule.Characters, "%s has %d characters, must have %d to %d", field, n, 1, MaxJobKey)
	}
	for _, r := range key {
		if !InJobKey(r) {
			return Invalidf(errorrule.KeyCharacters,
				"%s is %q, must have letters, digits, dots, hyphens and underscores only",
				field, key)
		}
	}
	return nil
}

// InJobKey reports whether a key may contain r.
func InJobKey(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '.' || r == '-' || r == '_'
}

// CheckOwner refuses a text that cannot name the owner of a declaration. Empty means no owner.
func CheckOwner(field, owner string) error { return checkText(field, owner, 0, 64) }

// A Declaration is a set of changes that a store carries out together or not at all.
type Declaration struct {
	// Calendars are stored as [CalendarStore.SaveCalendar] does, before all else. Updated is that
	// of the calendar as the caller has read it; zero means that none with its name was stored.
	Calendars []*Calendar
	// Groups are stored as [GroupStore.SaveGroup] does, before the jobs; see [Group.Base].
	Groups []*Group
	// Remove names jobs that are deleted as [RemoveJob] does, before others are stored.
	Remove []SeenJob
	Jobs   []DeclaredJob
}

// A SeenJob is a job as the caller has read it. A zero Updated skips the check.
type SeenJob struct {
	ID      int64
	Updated time.Time
}

// A DeclaredJob is a job as it is to be.
type DeclaredJob struct {
	// Job has the ID 0 for a new job. Updated is that of the job as the caller has read it, and
	// GlueUpdated means what it does for [UpdateJob]. A child id of -n stands for the n-th of the
	// declaration's jobs, counted from 1. An existing job stays in its group.
	Job
	// App is the app name of the job's group. GroupID may be 0 for a group of the declaration.
	App string

	Key   string // a job without a key here keeps the one that it has
	Owner string // stored with Key

	// Edit says that fields of an existing job differ. Otherwise they are left as they are.
	Edit bool
	// Switch says that the schedule is to be on or off as Running says. Otherwise it is left as it
	// is, and off for a new job.
	Switch bool
	// Reschedule says that a schedule that is on continues with the job's new fields.
	Reschedule bool
	// First returns the first due time after an instant, or an error, with which the whole
	// declaration is refused. It is called where a schedule is switched on or continues anew, and
	// again if the transaction is repeated. Where it may be called, it must be set.
	First func(after time.Time) (time.Time, error)
}

// A DeclarationStore is the part of [Store] that keeps keys, and carries out declarations.
type DeclarationStore interface {
	// JobKeys lists the keys of the jobs of a group, or of all groups if groupID is 0, by job id. A
	// key follows its job to another group, unless another job has it there or another program has
	// moved the job: then the job has no key.
	JobKeys(ctx context.Context, groupID int64) ([]JobKey, error)
	// Declare carries out a declaration in one transaction and returns the ids of its jobs, in its
	// order. A change of a job is one version and one audit row, also if it includes a new job's
	// first start. Jobs are created with their keys, so that two callers who declare the same job
	// at once create it once.
	//
	// The error is [ErrNotFound] if a job or a group does not exist. It is [ErrConflict] if a job,
	// a group or a calendar was changed since the caller read it, or a calendar created, if another
	// job of its group has the key, or if another group has the app name.
	Declare(ctx context.Context, d *Declaration) (ids []int64, err error)
}

// Fields returns key and owner as the audit shows them. The zero value has none.
func (k JobKey) Fields() Fields {
	if k.Key == "" {
		return nil
	}
	return Fields{{Name: "key", Value: k.Key}, {Name: "owner", Value: k.Owner}}
}
