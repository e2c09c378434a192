package events

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

const (
	// pace is the interval of polls.
	pace = time.Second
	// kept is how many events a hub keeps for listeners that reconnect.
	kept = 1024
	// buffer is how many events a listener may fall behind at least: when it reconnects, the kept
	// events may fill the rest of its channel.
	buffer = 256
	// maxListeners bounds the memory and the connections that listeners cost.
	maxListeners = 1000
	// pollLimit limits the time of one poll.
	pollLimit = 10 * time.Second
)

// A Store is the part of [xxladapter.Store] that a [Hub] reads.
type Store interface {
	xxladapter.Clock
	xxladapter.ChangeStore
}

// A Hub polls a store while it has a listener. More listeners do not make it poll more often.
// Create it with [NewHub]. Its methods and those of its listeners may be called from any goroutine.
type Hub struct {
	store  Store
	logger *slog.Logger

	polling sync.WaitGroup // the pollers that have not ended

	mu         sync.Mutex // guards the fields below
	closed     bool
	listeners  map[*Listener]struct{}
	generation string  // of the running poller; empty while none runs
	number     int64   // of the last event
	recent     []Event // the last events of the generation
	stop       context.CancelFunc
}

// NewHub returns a hub that polls nothing yet. A nil logger means slog.Default().
func NewHub(store Store, logger *slog.Logger) *Hub {
	if logger == nil {
		logger = slog.Default()
	}
	return &Hub{store: store, logger: logger, listeners: map[*Listener]struct{}{}}
}

// A Listener receives events until it leaves, falls behind, or its hub closes.
type Listener struct {
	hub *Hub
	// Events is closed when the listener leaves or falls behind, or the hub closes. To continue,
	// the caller listens again from the position of the last event that it has received.
	Events chan Event
}

// Listen adds a listener. after is the position of the last event that the caller has received; the
// zero value means none. If there is none, or if the events since then are no longer kept, the
// first event is about [TopicAll]: what the caller has read before may have changed unseen. The
// error is [xxladapter.ErrConflict] if the hub is closed or has too many listeners.
func (h *Hub) Listen(after Position) (*Listener, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return nil, xxladapter.Conflictf(errorrule.Stopping, "this node is stopping, listen on another one")
	case len(h.listeners) >= maxListeners:
		return nil, xxladapter.Conflictf(errorrule.TooManyListeners, "%d listeners are connected, must be fewer than %d",
			len(h.listeners), maxListeners)
	}
	if h.generation == "" {
		h.start()
	}
	l := &Listener{hub: h, Events: make(chan Event, kept+buffer)}
	h.listeners[l] = struct{}{}
	missed := h.number - after.Number
	switch {
	case after == Position{} && h.number == 0: // the first poll's event is about TopicAll
	case after.Generation != h.generation, missed < 0, missed > int64(len(h.recent)):
		l.Events <- Event{Topic: TopicAll, Position: Position{h.generation, h.number}}
	default:
		for _, e := range h.recent[int64(len(h.recent))-missed:] {
			l.Events <- e
		}
	}
	return l, nil
}

// Leave removes the listener; leaving again changes nothing. The last one that leaves ends the
// polling.
func (l *Listener) Leave() {
	l.hub.mu.Lock()
	defer l.hub.mu.Unlock()
	l.hub.remove(l)
}

// remove removes a listener.
//
// REQUIRES: h.mu is held.
func (h *Hub) remove(l *Listener) {
	if _, listens := h.listeners[l]; !listens {
		return
	}
	delete(h.listeners, l)
	close(l.Events)
	if len(h.listeners) == 0 {
		h.stop()
		h.generation, h.recent, h.number = "", nil, 0
	}
}

// Close removes all listeners, ends the polling, and waits for a poll that is in progress.
func (h *Hub) Close() {
	h.mu.Lock()
	h.closed = true
	for l := range h.listeners {
		h.remove(l)
	}
	h.mu.Unlock()
	h.polling.Wait()
}

// start begins to poll.
//
// REQUIRES: h.mu is held.
func (h *Hub) start() {
	ctx, cancel := context.WithCancel(context.Background())
	h.generation, h.stop = rand.Text(), cancel
	generation := h.generation
	h.polling.Go(func() { h.poll(ctx, generation) })
}

// poll reads changes until ctx ends.
func (h *Hub) poll(ctx context.Context, generation string) {
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	var v *view
	failing := false
	for {
		found, err := h.read(ctx, &v)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			failing = false
		case !failing:
			failing = true
			h.logger.Warn("reading changes for listeners failed, will be retried", "err", err)
		}
		h.publish(generation, found)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// read returns what has changed since the view v, and updates it. If there is none yet, read takes
// the first view and returns an event about [TopicAll].
func (h *Hub) read(ctx context.Context, v **view) ([]Event, error) {
	ctx, cancel := context.WithTimeout(ctx, pollLimit)
	defer cancel()
	now, err := h.store.Now(ctx)
	if err != nil {
		return nil, err
	}
	if *v != nil {
		return (*v).poll(ctx, h.store, now)
	}
	first, err := look(ctx, h.store, now)
	if err != nil {
		return nil, err
	}
	*v = &first
	// No poll would find what has changed between the caller's own read and this first view.
	return []Event{{Topic: TopicAll}}, nil
}

// Tell publishes an event to the listeners of this hub at once. It is for what a poll does not
// name, such as the id of a removed job.
func (h *Hub) Tell(e Event) {
	h.mu.Lock()
	generation := h.generation
	h.mu.Unlock()
	h.publish(generation, []Event{e})
}

// publish sends the events to all listeners, and removes those that have fallen behind.
func (h *Hub) publish(generation string, found []Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.generation == "" || h.generation != generation {
		return // the last listener has left meanwhile
	}
	for _, e := range found {
		if len(h.listeners) == 0 {
			return // the last one has fallen behind, and remove has forgotten what was published
		}
		h.number++
		e.Position = Position{generation, h.number}
		h.recent = append(h.recent, e)
		for l := range h.listeners {
			select {
			case l.Events <- e:
			default:
				h.remove(l)
			}
		}
	}
	if extra := len(h.recent) - kept; extra > 0 {
		h.recent = append([]Event(nil), h.recent[extra:]...)
	}
}
