package xxladapter

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// MaxDrains is how many addresses of one group may be drained at a time.
const MaxDrains = 1000

// ReasonDrained is what the message of a hand-over says if every address was drained.
const ReasonDrained = "every executor address is drained"

// A Drain keeps new runs away from one executor address of a group. Runs that the executor has
// continue, and it may register as before.
type Drain struct {
	Address string `json:"address"`
	Note    string `json:"note,omitempty"` // at most 255 characters
	By      string `json:"by,omitempty"`   // who asked for it
	// Since is when it was stored and Until when it ends, both in whole milliseconds by the store's
	// clock. A zero Until means that it ends when it is undone.
	Since time.Time `json:"since"`
	Until time.Time `json:"until,omitzero"`
}

// Validate refuses an address or a note that is no valid one, as an [Error] with [CodeInvalid].
func (d *Drain) Validate() error {
	if err := CheckAddress("address", d.Address); err != nil {
		return err
	}
	return checkText("note", d.Note, 0, 255)
}

// holds reports whether the drain is in force at a time.
func (d *Drain) holds(now time.Time) bool { return d.Until.IsZero() || now.Before(d.Until) }

// DrainsAt returns the drains of the group that are in force at a time.
func (g *Group) DrainsAt(now time.Time) (held []Drain) {
	for _, d := range g.Drains {
		if d.holds(now) {
			held = append(held, d)
		}
	}
	return held
}

// Undrained returns those of the addresses that are not drained in the group at a time, in their
// order. It returns addresses itself if that is all of them.
func (g *Group) Undrained(addresses []string, now time.Time) []string {
	drained := func(address string) bool {
		return slices.ContainsFunc(g.Drains, func(d Drain) bool { return d.Address == address && d.holds(now) })
	}
	if !slices.ContainsFunc(addresses, drained) {
		return addresses
	}
	return slices.DeleteFunc(slices.Clone(addresses), drained)
}

// WithDrain returns those of drains that are in force at now, ordered by address, with d in place
// of one of the same address. It is a pure function. The error is [ErrConflict] if there would be
// more than [MaxDrains].
func WithDrain(drains []Drain, d Drain, now time.Time) ([]Drain, error) {
	kept := withoutDrain(drains, d.Address, now)
	if len(kept) >= MaxDrains {
		return nil, Conflictf(errorrule.DrainsAtMost, "%d addresses of the group are drained, must be at most %d",
			len(kept), MaxDrains)
	}
	d.Note, d.By = ValidText(d.Note), ValidText(d.By)
	d.Since, d.Until = wholeMilli(now), wholeMilli(d.Until)
	kept = append(kept, d)
	slices.SortFunc(kept, func(a, b Drain) int { return strings.Compare(a.Address, b.Address) })
	return kept, nil
}

// WithoutDrain returns those of drains that are in force at now, without that of an address. The
// error is [ErrNotFound] if the address is not drained.
func WithoutDrain(drains []Drain, address string, now time.Time) ([]Drain, error) {
	kept := withoutDrain(drains, address, now)
	if len(kept) == len(withoutDrain(drains, "", now)) {
		return nil, NotFoundf(errorrule.NotDrained, "address %q is not drained", address)
	}
	return kept, nil
}

func withoutDrain(drains []Drain, address string, now time.Time) []Drain {
	return slices.DeleteFunc(slices.Clone(drains), func(d Drain) bool { return d.Address == address || !d.holds(now) })
}

// A DrainStore is the part of [Store] that stores which executors get no new runs; [Group.Drains]
// lists them. A drain is kept when the executor registers or leaves and when its group is saved,
// and is removed with the group. Both calls drop drains whose end has passed, and return
// [ErrNotFound] if there is no such group.
type DrainStore interface {
	// DrainExecutor stores a drain in place of an earlier one of the same address. The store sets
	// Since. The error is [ErrConflict] if [MaxDrains] other addresses are drained. A
	// hand-over that has read the group before may still send a run to the address, and an executor
	// at a queue may still take a run that waits there for any executor of its app.
	DrainExecutor(ctx context.Context, groupID int64, d Drain) error
	// UndrainExecutor ends the drain of an address. The error is [ErrNotFound] if it is not
	// drained.
	UndrainExecutor(ctx context.Context, groupID int64, address string) error
}
