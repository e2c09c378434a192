package xxladapter

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// An AuditRow says who changed what: one row of the audit. It is written in the transaction of the
// change, so it exists exactly if the change does. Stores write it for each change whose context
// carries a call, see [WithCall], and for schedules that a scheduler stops.
type AuditRow struct {
	ID int64     `json:"id" doc:"Counts from 1 without gaps."`
	At time.Time `json:"time" doc:"By the store's clock, in whole milliseconds."`

	Actor Actor `json:"actor"`
	// Call names what was called: method and path pattern of an API call, such as "PUT
	// /api/v1/jobs/{id}", or what a scheduler did by itself. At most 255 bytes.
	Call   string      `json:"call" doc:"Method and path of the call, or what a scheduler did by itself."`
	Object AuditObject `json:"object"`
	// Changes are the fields that differ, in the order in which a form shows them.
	Changes []FieldChange `json:"changes" doc:"The fields that differ. Secret values are concealed."`

	// Previous is the Hash of the row before, and [AuditGenesis] for the first row. Hash covers
	// Previous and all other fields, so that the rows form a chain. Both are SHA-256 in lower case
	// hexadecimal digits.
	Previous string `json:"previousHash" doc:"The hash of the row before."`
	Hash     string `json:"hash" doc:"SHA-256 of all other fields, see the documentation of the audit."`
}

// An AuditObject is what a change concerns.
type AuditObject struct {
	Kind string `json:"kind" doc:"What was changed: job, group, run, runs, zone, user, token, alarm, pause, calendar or node."` // at most 32 bytes
	ID   int64  `json:"id,omitempty" doc:"Omitted for what has no id."`
	// Name is its name at that time, of at most 1020 bytes.
	Name string `json:"name,omitempty" doc:"Its name at that time."`
	// JobID and GroupID are the job and the group that it belongs to; 0 means none.
	JobID   int64 `json:"jobId,omitempty" doc:"The job that it is or belongs to."`
	GroupID int64 `json:"jobGroup,omitempty" doc:"The group that it is or belongs to."`
}

// Kinds of objects.
const (
	AuditJob      = "job"
	AuditGroup    = "group"
	AuditRun      = "run"  // one run, by its log id
	AuditRuns     = "runs" // many runs
	AuditZone     = "zone" // the time zone of all schedules
	AuditUser     = "user"
	AuditToken    = "token" // a personal token
	AuditAlarm    = "alarm" // the channels of alarms
	AuditPause    = "pause"
	AuditCalendar = "calendar"
	AuditNode     = "node" // a scheduler
)

// AuditKinds returns all kinds of objects.
func AuditKinds() []string {
	return []string{
		AuditJob, AuditGroup, AuditRun, AuditRuns, AuditZone, AuditUser, AuditToken, AuditAlarm, AuditPause,
		AuditCalendar, AuditNode,
	}
}

// AuditGenesis is the [AuditRow.Previous] of the first row.
var AuditGenesis = hexSum([]byte("xxlwheel audit"))

// The widths of the table's columns, in bytes.
const (
	maxActorName  = 1020
	maxAuditText  = 255 // of calls and addresses
	maxObjectKind = 32
	maxObjectName = 1020 // 255 characters
)

// NewAuditRow returns the row that follows previous, for a change by the call and the actor of ctx.
// Texts are made valid and truncated to the widths of the table.
func NewAuditRow(ctx context.Context, previous AuditPosition, at time.Time, o AuditObject, changes []FieldChange) AuditRow {
	return newAuditRow(previous, at, ActorOf(ctx), CallOf(ctx), o, changes)
}

// NewStopRow returns the row that follows previous, for a job that the scheduler node stopped
// because its schedule has ended.
func NewStopRow(previous AuditPosition, at time.Time, node, reason string, o AuditObject) AuditRow {
	changes := DiffFields(
		Fields{{Name: "running", Value: true}},
		Fields{{Name: "running", Value: false}, {Name: "reason", Value: reason}},
	)
	return newAuditRow(previous, at, Actor{Kind: ActorScheduler, Name: node}, "schedule ended", o, changes)
}

func newAuditRow(
	previous AuditPosition, at time.Time, by Actor, call string, o AuditObject, changes []FieldChange,
) AuditRow {
	fit := func(text string, most int) string { return CutText(ValidText(text), most) }
	o.Kind, o.Name = fit(o.Kind, maxObjectKind), fit(o.Name, maxObjectName)
	by.Name, by.Address = fit(by.Name, maxActorName), fit(by.Address, maxAuditText)
	row := AuditRow{
		ID: previous.ID + 1, At: time.UnixMilli(at.UnixMilli()).UTC(), Actor: by, Call: fit(call, maxAuditText),
		Object: o, Changes: changes, Previous: previous.Hash,
	}
	row.Hash = row.Digest()
	return row
}

// Digest computes the hash of the row: SHA-256 of its fields, each as a netstring (its length in
// decimal digits, a colon, its bytes, a comma), in this order: Previous, ID, At in Unix
// milliseconds, the actor's kind, name and address, Call, the object's kind, ID, name, job id and
// group id, and Changes as compact JSON.
func (r *AuditRow) Digest() string {
	number := func(n int64) string { return strconv.FormatInt(n, 10) }
	var text []byte
	for _, field := range []string{
		r.Previous, number(r.ID), number(r.At.UnixMilli()), string(r.Actor.Kind), r.Actor.Name, r.Actor.Address, r.Call,
		r.Object.Kind, number(r.Object.ID), r.Object.Name, number(r.Object.JobID), number(r.Object.GroupID),
		r.ChangesText(),
	} {
		text = append(strconv.AppendInt(text, int64(len(field)), 10), ':')
		text = append(append(text, field...), ',')
	}
	return hexSum(text)
}

// ChangesText returns Changes as stores keep them: compact JSON.
func (r *AuditRow) ChangesText() string {
	if len(r.Changes) == 0 {
		return "[]"
	}
	text, err := json.Marshal(r.Changes)
	if err != nil { // a damaged row: its hash will differ
		return err.Error()
	}
	return string(text)
}

// orderField is the first field of a row about an order to run a job, and of no other row.
const orderField = "order"

// OrderChanges begins the [AuditRow.ChangesText] of a row about an order to run a job.
const OrderChanges = `[{"field":"` + orderField + `",`

// Position returns the row's position in the chain.
func (r *AuditRow) Position() AuditPosition { return AuditPosition{r.ID, r.Hash} }

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// An AuditPosition is a position in the chain: a row's id and hash.
type AuditPosition struct {
	ID   int64  `json:"id"`
	Hash string `json:"hash"`
}

// AuditEnds are the ends of the chain. Both have id 0 and [AuditGenesis] if no row was ever
// written.
type AuditEnds struct {
	Anchor AuditPosition // the newest row that was deleted because of its age
	Last   AuditPosition // the newest row
}

// An AuditFilter selects rows; zero fields do not restrict.
type AuditFilter struct {
	Actor    string // the actor's name
	Kind     string // the object's kind
	ObjectID int64
	JobID    int64
	GroupID  int64
	// From and Before bound At: From is included and Before is not.
	From, Before time.Time
	// NoOrders leaves out the rows about orders to run a job, which can be many.
	NoOrders bool
	// AfterID selects rows with greater ids, or with smaller ones if Newest is set; 0 means all.
	AfterID int64
	Newest  bool // newest first
	Limit   int  // 0 means no limit
}

// Selects reports whether f selects the row, regardless of AfterID and Limit.
func (f *AuditFilter) Selects(r *AuditRow) bool {
	switch {
	case f.Actor != "" && f.Actor != r.Actor.Name,
		f.Kind != "" && f.Kind != r.Object.Kind,
		f.ObjectID != 0 && f.ObjectID != r.Object.ID,
		f.JobID != 0 && f.JobID != r.Object.JobID,
		f.GroupID != 0 && f.GroupID != r.Object.GroupID,
		f.NoOrders && len(r.Changes) > 0 && r.Changes[0].Field == orderField,
		!f.From.IsZero() && r.At.Before(f.From),
		!f.Before.IsZero() && !r.At.Before(f.Before):
		return false
	}
	return true
}

// An AuditStore is the part of [Store] that keeps the audit. Every method that changes something
// for a call in its context appends the rows of the change in the same transaction. Changes that
// leave all fields as they are have no row.
type AuditStore interface {
	// AppendAudit appends a row about something that the call in ctx did outside of the store, with
	// fields as the values after it. Without a call it does nothing.
	AppendAudit(ctx context.Context, o AuditObject, fields Fields) error
	// AuditRows lists the rows that f selects, by id.
	AuditRows(ctx context.Context, f AuditFilter) ([]AuditRow, error)
	// AuditEnds returns the ends of the chain.
	AuditEnds(ctx context.Context) (AuditEnds, error)
	// PurgeAudit deletes up to limit of the first rows, as long as they are older than before, and
	// moves the anchor to the last of them. It returns their number.
	PurgeAudit(ctx context.Context, before time.Time, limit int) (int, error)
}

// A ChainError names the first row that breaks the chain of the audit.
type ChainError struct {
	ID   int64  // of the row that is missing, changed or too many
	Rule string // what is wrong with it
}

func (e *ChainError) Error() string { return fmt.Sprintf("audit row %d %s", e.ID, e.Rule) }

// FollowChain checks that rows follow a position in the chain without a gap, and returns the
// position at their end. The error is a [ChainError] about the first row that does not; the
// position is then that of the row before it.
func FollowChain(from AuditPosition, rows []AuditRow) (AuditPosition, error) {
	for i := range rows {
		row := &rows[i]
		switch {
		case row.ID > from.ID+1:
			return from, &ChainError{from.ID + 1, fmt.Sprintf("is missing, the next one is %d", row.ID)}
		case row.ID < from.ID+1:
			return from, &ChainError{row.ID, fmt.Sprintf("is out of order, must be %d", from.ID+1)}
		case row.Previous != from.Hash:
			return from, &ChainError{row.ID, "does not follow the row before, one of them was replaced"}
		case row.Hash != row.Digest():
			return from, &ChainError{row.ID, "was changed, its hash differs"}
		}
		from = row.Position()
	}
	return from, nil
}

// EndChain checks that the chain, followed up to a position, ends at last. The error is a
// [ChainError].
func EndChain(at, last AuditPosition) error {
	switch {
	case at.ID < last.ID:
		return &ChainError{at.ID + 1, fmt.Sprintf("is missing, the last one is %d", last.ID)}
	case at.ID > last.ID:
		return &ChainError{last.ID + 1, fmt.Sprintf("is too many, the last one is %d", last.ID)}
	case at.Hash != last.Hash:
		return &ChainError{last.ID, "was replaced, the chain ends with another hash"}
	}
	return nil
}
