package trigger

import "cmp"

// An admission decides which waiting item of which app goes next, and which items are refused. It
// is a plain structure: no clock, lock or goroutine.
//
// One rule limits both the places and the queue: an app may take one more place as long as it holds
// fewer than are free. A single app gets half of them, n greedy apps get 1/(n+1) each, and the same
// share stays free for the next app. So an app whose executors hang can fill neither the places nor
// the queue. (Dynamic thresholds: Choudhury and Hahne, IEEE/ACM Transactions on Networking 6(2),
// 1998.)
//
// Apps take turns, one item each; the items of one app keep their order.
type admission[T any] struct {
	places int // the most items in flight
	queue  int // the most items that wait
	perApp int // the most items of one app in flight; equal to places if the rule alone limits them

	inFlight int
	waiting  int
	apps     map[int64]*appLoad[T] // those with anything in it
	turns    []*appLoad[T]         // those with waiting items, the next one first
	refused  map[int64]bool        // those that were refused, and have had no room since
	roomy    []int64               // those that have room again, until takeRoom
}

// An appLoad holds what one app has in an [admission].
type appLoad[T any] struct {
	id       int64
	waiting  []T
	inFlight int
}

// newAdmission returns an empty admission. A perApp of 0 leaves the limit of each app to the rule.
func newAdmission[T any](places, queue, perApp int) *admission[T] {
	return &admission[T]{
		places: places, queue: queue, perApp: cmp.Or(perApp, places),
		apps: make(map[int64]*appLoad[T]), refused: make(map[int64]bool),
	}
}

// admits reports whether an app has a place left in the queue. If not, takeRoom reports when that
// has changed.
func (a *admission[T]) admits(app int64) bool {
	if a.waitingOf(app) < a.queue-a.waiting {
		return true
	}
	a.refused[app] = true
	return false
}

// offer queues an item. It returns false if its app has no place left, as admits does.
func (a *admission[T]) offer(app int64, item T) bool {
	if !a.admits(app) {
		return false
	}
	l := a.apps[app]
	if l == nil {
		l = &appLoad[T]{id: app}
		a.apps[app] = l
	}
	if len(l.waiting) == 0 {
		a.turns = append(a.turns, l)
	}
	l.waiting = append(l.waiting, item)
	a.waiting++
	return true
}

// next removes the item that may go now and counts it as in flight. The caller calls finish(app)
// when it has ended.
func (a *admission[T]) next() (item T, app int64, ok bool) {
	for range a.turns {
		l := a.turns[0]
		a.turns = a.turns[1:]
		if l.inFlight >= min(a.perApp, a.places-a.inFlight) {
			a.turns = append(a.turns, l)
			continue
		}
		var none T
		item, l.waiting[0] = l.waiting[0], none // the array must not keep it alive
		l.waiting = l.waiting[1:]
		if len(l.waiting) > 0 {
			a.turns = append(a.turns, l)
		}
		l.inFlight++
		a.inFlight++
		a.waiting--
		a.noteRoom()
		return item, l.id, true
	}
	return item, 0, false
}

// first calls f with the next item of each app.
func (a *admission[T]) first(f func(app int64, item T)) {
	for _, l := range a.turns {
		f(l.id, l.waiting[0])
	}
}

// finish releases one in-flight place of app.
func (a *admission[T]) finish(app int64) {
	a.inFlight--
	l := a.apps[app]
	l.inFlight--
	if l.inFlight == 0 && len(l.waiting) == 0 {
		delete(a.apps, app)
	}
}

// noteRoom notes the apps that were refused and can offer again. A third of the share has to be
// free, so that the scheduler is not called for each single place.
func (a *admission[T]) noteRoom() {
	free := a.queue - a.waiting
	for app := range a.refused {
		if n := a.waitingOf(app); n < free && 2*n <= free {
			delete(a.refused, app)
			a.roomy = append(a.roomy, app)
		}
	}
}

func (a *admission[T]) waitingOf(app int64) int {
	if l := a.apps[app]; l != nil {
		return len(l.waiting)
	}
	return 0
}

// takeRoom returns the apps that were refused and have room again, each once.
func (a *admission[T]) takeRoom() []int64 {
	roomy := a.roomy
	a.roomy = nil
	return roomy
}

// drop empties the queue and returns its items.
func (a *admission[T]) drop() []T {
	var items []T
	for _, l := range a.turns {
		items = append(items, l.waiting...)
		l.waiting = nil
		if l.inFlight == 0 {
			delete(a.apps, l.id)
		}
	}
	a.turns, a.waiting = nil, 0
	clear(a.refused)
	return items
}
