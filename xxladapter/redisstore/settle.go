package redisstore

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// A place is the part of a log's head that names the node on which it was written.
type place struct {
	home home
	line string
	// master is the history in which the node that has the slot was a master while the head was
	// elsewhere; empty means that nobody has noted one.
	master string
}

// look returns what the head has.
func (s *server) look(ctx context.Context, c *client) (state sqlstore.LogState, at place, err error) {
	found, err := lookScript.Run(ctx, c, []string{s.head}, s.holder, c.inCharge().named.home.node).Slice()
	if err != nil {
		return state, at, err
	}
	if len(found) != 8 {
		return state, at, fmt.Errorf("redis answered %d values, must be 8", len(found))
	}
	n := make([]int64, 5)
	for i := range n {
		n[i], _ = found[i].(int64)
	}
	from, _ := found[5].(string)
	at.line, _ = found[6].(string)
	at.master, _ = found[7].(string)
	at.home = homeOf(from)
	return stateOf(n), at, nil
}

// settle finds out how the head has come to a node of a cluster. If it was migrated, the head names
// the node as its home from then on; otherwise the log has another identity there, which is a loss.
func (s *server) settle(ctx context.Context, c *client) error {
	s.mu.Lock()
	_, known := s.identities[c]
	s.mu.Unlock()
	if known && s.knows(s.cluster.version.Load()) {
		return nil
	}
	_, err := s.reach(ctx, c)
	return err
}

// reach reads the head and does what settle does.
func (s *server) reach(ctx context.Context, c *client) (sqlstore.LogState, error) {
	state, at, err := s.look(ctx, c)
	absent := state.Generation == 0 && at.home == (home{}) // there is no head, or not here
	if err != nil || absent || c.named.home == (home{}) {
		return state, err
	}
	how, err := s.cluster.moved(at, c)
	if err != nil {
		return state, err
	}
	if how == movedWhole {
		err = s.adopt(ctx, c, at.home)
	} else {
		at.line = c.named.home.short()
	}
	if err == nil {
		s.keep(c, at.line)
	}
	return state, err
}

// adopt has the head name the node that it has come to, and the masters that it may come to next.
func (s *server) adopt(ctx context.Context, c *client, from home) error {
	to := c.named.home
	if from.history == to.history && !from.before(to) {
		to = from // another process knows of a later epoch
	}
	masters, version := s.cluster.masters(to.node)
	if to == from && s.knows(version) {
		return nil
	}
	args := append([]any{from.String(), to.String()}, masters...)
	adopted, err := adoptScript.Run(ctx, c, []string{s.head}, args...).Int()
	if err != nil {
		return err
	}
	if adopted == 0 {
		return unsettled{errors.New("redis has moved the log again")}
	}
	s.note(version)
	return nil
}

// create creates a head that names the node as its home, before the first Take does. The slot may
// move at any time after that.
func (s *server) create(ctx context.Context, c *client) error {
	s.mu.Lock()
	_, known := s.identities[c]
	s.mu.Unlock()
	if known || c.named.home == (home{}) {
		return nil
	}
	where, _ := s.where(c)
	return createScript.Run(ctx, c, []string{s.head}, where...).Err()
}

// where returns the fields of a head that say where it is, each with its value, and the version of
// the masters among them.
func (s *server) where(c *client) (fields []any, version int64) {
	fields = []any{"home", c.named.home.String(), "line", s.line(c)}
	if s.cluster == nil {
		return fields, 0
	}
	masters, version := s.cluster.masters(c.named.home.node)
	return append(fields, masters...), version
}

// note notes that the head has the masters of a version.
func (s *server) note(version int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mastersVersion = version
}

// knows reports whether the head has the masters of a version.
func (s *server) knows(version int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mastersVersion == version
}

// keep notes the identity of a node's log: the home where the log was begun, if it has come to the
// node without a loss, and the node itself otherwise.
func (s *server) keep(c *client, line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.identities[c]; !known && len(s.identities) >= keptIdentities {
		clear(s.identities) // they are read again
	}
	s.identities[c] = line
}

// forget has the head of a node read again.
func (s *server) forget(c *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.identities, c)
}

// keptIdentities limits the nodes whose identity is kept.
const keptIdentities = 8

// line returns the identity of a node's log.
func (s *server) line(c *client) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if line, known := s.identities[c]; known {
		return line
	}
	return c.named.home.short() // it has no head
}
