package xxladapter

import (
	"context"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Pause suppresses the due times of schedules for a time: they give no fire. Each job keeps one
// [Misfire] for all of them. Runs that have begun continue, with their retries and child jobs, and
// jobs can be triggered by hand.
type Pause struct {
	ID      int64
	GroupID int64 // 0 pauses all jobs
	// Note says why; at most [MaxPauseNote] characters.
	Note string
	// By names who began the pause, and EndedBy who ended it before its time; empty if nobody did.
	By, EndedBy string
	// From is the first instant of the pause, and Until the first one after it; a zero Until means
	// that the pause lasts until somebody ends it. Both are whole milliseconds.
	From, Until time.Time
}

// MaxPauseNote is the length of the longest [Pause.Note] in characters.
const MaxPauseNote = 500

// MaxPause is the longest time for which a pause or a drain with an end may be asked. A longer one
// is refused; ask for one without an end.
const MaxPause = 366 * 24 * time.Hour

// Validate checks a pause that is to begin at now.
func (p *Pause) Validate(now time.Time) error {
	switch {
	case p.GroupID < 0:
		return Invalidf(errorrule.NotNegative, "%s is %d, must be 0 or more", "jobGroup", p.GroupID)
	case !p.Until.IsZero():
		if err := CheckUntil(p.Until, now); err != nil {
			return err
		}
	}
	return checkText("note", p.Note, 0, MaxPauseNote)
}

// CheckUntil refuses an end of a pause or a drain that has passed at now, or is further ahead than
// [MaxPause].
func CheckUntil(until, now time.Time) error {
	switch {
	case !until.After(now):
		return Invalidf(errorrule.Future, "%s is %s, must be after now, %s",
			"until", until.Format(time.RFC3339), now.Format(time.RFC3339))
	case until.After(now.Add(MaxPause)):
		return Invalidf(errorrule.DaysAhead, "%s is %s, must be at most %d days ahead; omit it for no end",
			"until", until.Format(time.RFC3339), int(MaxPause/(24*time.Hour)))
	}
	return nil
}

// Covers reports whether the pause suppresses a due time of a job of the group.
func (p *Pause) Covers(group int64, due time.Time) bool {
	return (p.GroupID == 0 || p.GroupID == group) && !due.Before(p.From) && p.HoldsAt(due)
}

// HoldsAt reports whether the pause, once it has begun, still lasts at an instant.
func (p *Pause) HoldsAt(at time.Time) bool { return p.Until.IsZero() || at.Before(p.Until) }

// Fields returns what people decide about a pause.
func (p *Pause) Fields() Fields {
	fields := Fields{{Name: "jobGroup", Value: p.GroupID}, {Name: "note", Value: p.Note}}
	if !p.Until.IsZero() {
		fields = append(fields, Field{Name: "until", Value: p.Until.UTC()})
	}
	return fields
}

// Audited returns the pause as the object of a change.
func (p *Pause) Audited() AuditObject {
	return AuditObject{Kind: AuditPause, ID: p.ID, Name: firstLine(p.Note), GroupID: p.GroupID}
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// A PauseFilter selects pauses; zero fields do not restrict.
type PauseFilter struct {
	// Open selects pauses that have not ended.
	Open bool
	// Since selects pauses that had not ended at that time.
	Since time.Time
	// Groups selects pauses of these groups and those of all jobs; nil means all.
	Groups []int64
	// AfterID selects pauses with smaller ids; 0 means all.
	AfterID int64
	Limit   int // 0 means no limit
}

// A PauseStore is the part of [Store] that keeps pauses. [ScheduleStore.ClaimDue] and the methods
// here wait for each other: a scan that begins after CreatePause has returned finds the pause.
type PauseStore interface {
	// CreatePause stores a pause that begins now, by the store's clock, and returns it as stored;
	// ID, From, By and EndedBy are set by the store. In the same transaction the planned fires of
	// the schedules that it concerns are deleted, also those that were due before the pause, and
	// recorded as misfires of the pause. A fire of type MISFIRE makes up for an earlier due time,
	// so it is recorded as due at From at the latest. Fires that are due at the end of the pause or
	// later are kept. A schedule that waited for the end of a deleted fire continues now.
	// Afterwards no planned fire of these schedules that is due before the end can be claimed.
	// Fires that were claimed earlier are due at From or before it. The error is [ErrNotFound] if
	// the group does not exist.
	CreatePause(ctx context.Context, p Pause) (Pause, error)
	// EndPause ends a pause now and returns it. Due times that scans have recorded ahead of now
	// stay recorded and do not fire. A pause that has ended is returned as it is. The error is
	// [ErrNotFound] if there is none.
	EndPause(ctx context.Context, id int64) (Pause, error)
	// Pauses lists the pauses that f selects, newest first.
	Pauses(ctx context.Context, f PauseFilter) ([]Pause, error)
}
