package redisstore

import (
	"errors"
	"fmt"
	"time"
)

// doubt is how long a process that has learned of a new owner waits for the proof that the slot was
// migrated. Without proof the move counts as a loss.
const doubt = 2 * time.Second

// A move says how the head of a log has come to the server that has it.
type move int

const (
	movedUnknown  move = iota // what a former owner says is not known yet
	movedWhole                // by migration: what was confirmed has come along
	movedPromoted             // by a promotion, or nobody can tell
)

// moved returns how a head has come from the home that it names to the server of a client.
func (c *cluster) moved(at place, to *client) (move, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how, why := c.judge(at, to)
	if how != movedUnknown {
		return how, nil
	}
	if since := to.since; age(since) >= doubt {
		return movedPromoted, nil
	}
	return how, unsettled{fmt.Errorf("redis has moved the log to %s: %w", to.named.address, why)}
}

// judge decides for moved, by what the nodes have answered since the client's server became known.
//
// A slot that was migrated leaves behind a former owner that still is a master in the history that
// the home has, and that names the new owner. The new owner was a master while the head was
// elsewhere, and still is one in the same history. A promotion leaves behind a former owner that is
// away or a replica, and a master that continues its history.
//
// REQUIRES: c.mu is held.
func (c *cluster) judge(at place, to *client) (move, error) {
	from, here := at.home, to.named.home
	if from == (home{}) {
		return movedPromoted, nil // a log that was begun elsewhere
	}
	if from.node == here.node {
		if from.stayed(here, c.mayLose) {
			return movedWhole, nil
		}
		return movedPromoted, nil
	}
	if to.owner != nil { // the owner says itself that it migrates the slot to here
		return c.judge(at, to.owner)
	}
	by, _, _ := c.answers()
	for id, n := range by {
		if id != from.node && n.master && n.before == from.history {
			return movedPromoted, nil
		}
	}
	for id, n := range by {
		if n.asked.Before(to.since) {
			return movedUnknown, errors.New("node " + id + " was not asked yet")
		}
	}
	former := by[from.node]
	switch {
	case former == nil:
		return movedUnknown, errors.New("the former owner, node " + from.node + ", does not answer")
	case !former.master || former.self.history != from.history || here.history != at.master:
		return movedPromoted, nil
	case former.owner != here.node:
		return movedUnknown, errors.New("the former owner, node " + from.node + ", does not know the new one")
	}
	return movedWhole, nil
}
