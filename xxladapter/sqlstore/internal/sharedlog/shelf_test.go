package sharedlog

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// A shelf keeps a log in memory by the rules of [Server], for several processes.
type shelf struct {
	mu      sync.Mutex // guards the fields below
	state   State
	holder  string
	until   time.Time
	wants   string
	records map[int64][]byte
	batch   int64  // the number of the last batch that was stored
	away    bool   // nothing is done and every call fails
	lost    bool   // the next append is not done
	mute    bool   // the next append is done and its answer is lost
	early   func() // called before the next append is done, with mu held; nil means nothing
	told    func() // called when the next Take is done, before its answer; nil means nothing
	asked   func() // called in the next Take that is answered, with mu held; nil means nothing
}

// errAway is the error of a shelf that does not answer.
var errAway = errors.New("the server is away")

// A reader is one process's [Server] on a shelf.
type reader struct {
	*shelf
	name string
}

func newShelf() *shelf { return &shelf{state: State{Generation: 1}, records: map[int64][]byte{}} }

// set changes the shelf.
func (s *shelf) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// held returns who has the pen now; empty means nobody.
func (s *shelf) held() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.until) {
		return s.holder
	}
	return ""
}

// answer returns the state for a reader.
//
// REQUIRES: mu is held.
func (r *reader) answer(holds bool) State {
	now := r.state
	now.Held, now.Wanted = holds, r.wants != "" && r.wants != r.name
	return now
}

func (r *reader) Take(context.Context) (State, error) {
	now, err := r.take()
	if told := r.told; told != nil {
		r.told = nil
		told()
	}
	return now, err
}

func (r *reader) take() (State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return State{}, errAway
	}
	if r.asked != nil {
		r.asked()
		r.asked = nil
	}
	mine, over := r.holder == r.name, !time.Now().Before(r.until)
	if mine && !over || over && (r.wants == "" || r.wants == r.name) {
		if !mine {
			r.state.Pen++
		}
		r.holder, r.until = r.name, time.Now().Add(Life)
		if r.wants == r.name {
			r.wants = ""
		}
		return r.answer(true), nil
	}
	if r.wants == "" {
		r.wants = r.name
	}
	return r.answer(false), nil
}

func (r *reader) Look(context.Context) (State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return State{}, errAway
	}
	return r.answer(r.holder == r.name), nil
}

func (r *reader) Append(_ context.Context, after State, batch int64, records [][]byte) (State, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return State{}, errAway
	}
	if r.early != nil {
		r.early()
		r.early = nil
	}
	if r.lost {
		r.lost = false
		return State{}, errAway
	}
	mine := r.holder == r.name && r.state.Generation == after.Generation && r.state.Pen == after.Pen
	if mine && r.batch == batch && r.state.Position == after.Position+int64(len(records)) {
		r.until = time.Now().Add(Life)
		return r.answer(true), nil
	}
	if r.holder != r.name || r.state.Generation != after.Generation || r.state.Position != after.Position || r.state.Pen != after.Pen {
		return r.answer(r.holder == r.name), ErrRefused
	}
	for _, record := range records {
		r.state.Position++
		r.records[r.state.Position] = record
	}
	r.batch, r.until = batch, time.Now().Add(Life)
	if r.mute {
		r.mute = false
		return State{}, errAway
	}
	return r.answer(true), nil
}

func (r *reader) Read(_ context.Context, after, last int64, each func(int64, []byte) error) error {
	r.mu.Lock()
	found := maps.Clone(r.records)
	r.mu.Unlock()
	for number := after + 1; number <= last; number++ {
		record, stored := found[number]
		if !stored {
			return ErrGap
		}
		if err := each(number, record); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) Trim(_ context.Context, number int64) error {
	r.set(func() { maps.DeleteFunc(r.records, func(n int64, _ []byte) bool { return n <= number }) })
	return nil
}

func (r *reader) Begin(_ context.Context, now State) error {
	r.set(func() {
		r.state.Generation, r.state.Position, r.records = now.Generation, now.Position, map[int64][]byte{}
	})
	return nil
}

func (r *reader) Release(context.Context) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.away {
		return errAway
	}
	if r.holder == r.name {
		r.until = time.Time{}
	}
	return nil
}

func (r *reader) Close() error { return nil }
