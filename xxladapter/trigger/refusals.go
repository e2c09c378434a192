package trigger

import (
	"cmp"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// refusals remembers, for each app, from which to which due time its fires were refused. The sweep
// can offer them again from there once the app has room, and need not read the waiting fires of
// other apps. It is a plain structure: no clock, lock or goroutine.
type refusals struct{ of map[laneApp]*refusal }

// A laneApp is an app in one part of a [Pool].
type laneApp struct {
	lane int
	app  int64
}

type refusal struct {
	first, last position
	again       *position // the first one refused since the last call of next
	room        bool      // the app has room again
}

// A position is where a fire stands in the order of due times.
type position struct {
	due int64 // Unix ms
	id  int64
}

func positionOf(f xxladapter.Fire) position { return position{f.Due.UnixMilli(), f.ID} }

func (p position) compare(q position) int {
	return cmp.Or(cmp.Compare(p.due, q.due), cmp.Compare(p.id, q.id))
}

// precede reports whether a fire that is due before f, or at the same time and was planned before
// it, was refused and has not been offered again.
func (r *refusals) precede(app laneApp, f xxladapter.Fire) bool {
	of := r.of[app]
	return of != nil && of.first.compare(positionOf(f)) < 0
}

// refuse notes that f was refused.
func (r *refusals) refuse(app laneApp, f xxladapter.Fire) {
	at := positionOf(f)
	of := r.of[app]
	if of == nil {
		of = &refusal{first: at, last: at}
		if r.of == nil {
			r.of = map[laneApp]*refusal{}
		}
		r.of[app] = of
	}
	if at.compare(of.first) < 0 {
		of.first = at
	}
	if at.compare(of.last) > 0 {
		of.last = at
	}
	if of.again == nil || at.compare(*of.again) < 0 {
		again := at // allocated here, so that most refusals cost nothing
		of.again = &again
	}
}

// noRoomFor notes that the app, which was refused, has no room.
func (r *refusals) noRoomFor(app laneApp) { r.of[app].room = false }

// roomFor notes that the app has room again.
func (r *refusals) roomFor(app laneApp) {
	if of := r.of[app]; of != nil {
		of.room = true
	}
}

// next returns the first position from which fires may be offered again. ok is false if no app that
// was refused has room.
func (r *refusals) next() (from position, ok bool) {
	for _, of := range r.of {
		of.again = nil
		if of.room && (!ok || of.first.compare(from) < 0) {
			from, ok = of.first, true
		}
	}
	return from, ok
}

// offered notes that all fires between from, the last answer of next, and to are being offered, as
// the store had them after that answer. A nil to means that none is left.
func (r *refusals) offered(from position, to *position) {
	for app, of := range r.of {
		if of.first.compare(from) < 0 || to != nil && of.first.compare(*to) > 0 {
			continue // none of this app was offered, or not from its first one on
		}
		switch {
		case of.again != nil && (to == nil || of.again.compare(*to) <= 0):
			of.first = *of.again
		case to == nil || of.last.compare(*to) <= 0:
			delete(r.of, app)
		default:
			of.first = position{to.due, to.id + 1}
		}
	}
}
