package leases

import (
	"cmp"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// SelectLeaseState reads all that a renewal has to know, each row beginning with its kind: one
// statement, because a node may ask at each renewal, every second.
const SelectLeaseState = `SELECT 0, node, term, until_ms, life_ms, retired, ended_ms, leads FROM xxlwheel_lease
	UNION ALL SELECT 1, node, partition_id, 0, 0, 0, 0, 0 FROM xxlwheel_partition
	UNION ALL SELECT 2, node, term, 0, 0, 0, 0, 0 FROM xxlwheel_fire WHERE node IS NOT NULL GROUP BY node, term
	UNION ALL SELECT 3, NULL, COALESCE(MIN(due_ms), 9223372036854775807), 0, 0, 0, 0, 0 FROM xxlwheel_fire`

// A LeaseState is the result of SelectLeaseState.
type LeaseState struct {
	leases  []leaseRow
	owners  [xxladapter.Partitions]string // a partition of "" or of a node without a lease is free
	claimed []xxladapter.Term             // terms that own open fires
	due     int64                         // the earliest due time of an open fire, in ms
}

// A leaseRow is a row of xxlwheel_lease.
type leaseRow struct {
	xxladapter.Term
	until   int64 // in ms
	life    int64 // in ms
	retired bool
	leads   leadership
	ended   int64 // the value of until when its presence ended, in ms; 0 if that was not seen
}

// Scan adds one row.
func (s *LeaseState) Scan(r database.Row) error {
	var (
		kind, number, until, life, retired, ended, leads int64
		node                                             string
	)
	if err := r.Scan(&kind, database.Text(&node), &number, &until, &life, &retired, &ended, &leads); err != nil {
		return err
	}
	term := xxladapter.Term{Node: node, Number: number}
	switch {
	case kind == 0:
		s.leases = append(s.leases, leaseRow{
			Term: term, until: until, life: life, retired: retired != 0, leads: leadership(leads), ended: ended,
		})
	case kind == 2:
		s.claimed = append(s.claimed, term)
	case kind == 3:
		s.due = number
	case number >= 0 && number < xxladapter.Partitions:
		s.owners[number] = node
	}
	return nil
}

// A renewal is what changes in the tables when a node asks for a lease.
type renewal struct {
	mine       leaseRow // as it will be stored; number 0 asks for a new term
	elected    bool     // the election of an earlier renewal is replaced
	lapsed     []leaseRow
	cut        []cutLease
	moved      map[int]string // new owners of partitions
	partitions xxladapter.PartitionSet
	dead       []xxladapter.Term
	others     []xxladapter.Term
	still      bool  // no open fire is due
	lapse      int64 // when the first of the other leases lapses, in ms; 0 without others

	// moves lists who lost partitions by lapsing, and last the node itself if it joins; the number
	// of its term, and the instant, are not known yet.
	moves []xxladapter.PartitionMove
}

// A cutLease is another node's lease that would hold for longer than its life.
type cutLease struct {
	leaseRow       // as it was read
	latest   int64 // until when it may hold, in ms
}

// Renew computes a renewal; leads is what the node asks for. It is a pure function.
//
// A lease that would hold for longer than its life was given before the clock was set back. It is
// cut to its life from now; otherwise a node that died then would count as alive for as long as the
// clock was set back by.
func (s *LeaseState) Renew(node string, life, now int64, leads leadership) renewal {
	r := renewal{mine: leaseRow{Term: xxladapter.Term{Node: node}, leads: leads}}
	var (
		takers     []string
		candidates []xxladapter.Candidate // the takers in SchedulingLeader
		live       = map[xxladapter.Term]bool{}
	)
	for _, l := range s.leases {
		switch {
		case l.until <= now:
			r.lapsed = append(r.lapsed, l)
			continue
		case l.Node == node:
			r.mine = l
			if l.leads != sharesJobs && leads != sharesJobs {
				r.mine.leads, r.elected = leads, l.leads != leads
			}
		default:
			if latest := now + l.life; l.until > latest {
				r.cut = append(r.cut, cutLease{l, latest})
				l.until = latest
			}
			if r.lapse == 0 || l.until < r.lapse {
				r.lapse = l.until
			}
		}
		live[l.Term] = true
		if !l.retired && l.Node != node {
			takers = append(takers, l.Node)
			candidates = l.leads.stand(candidates, l.Node)
			r.others = append(r.others, l.Term)
		}
	}
	slices.SortFunc(r.others, func(a, b xxladapter.Term) int { return cmp.Compare(a.Number, b.Number) })
	r.mine.until, r.mine.life = now+life, life
	r.still = s.due > now
	if !r.mine.retired {
		owners := s.owners
		takers, candidates = append(takers, node), r.mine.leads.stand(candidates, node)
		if len(candidates) == len(takers) {
			xxladapter.DealToLeader(&owners, candidates, node)
		} else {
			xxladapter.Deal(&owners, takers, node)
		}
		for partition, owner := range owners {
			if owner != s.owners[partition] {
				if r.moved == nil {
					r.moved = map[int]string{}
				}
				r.moved[partition] = owner
			}
			if owner == node {
				r.partitions = r.partitions.With(partition)
			}
		}
	}
	r.moves = s.moves(&r)
	for _, t := range s.claimed {
		if !live[t] {
			r.dead = append(r.dead, t)
		}
	}
	slices.SortFunc(r.dead, func(a, b xxladapter.Term) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Number, b.Number))
	})
	return r
}

// moves lists the nodes that gain their first partitions by the renewal, or lose their last ones.
// What other nodes give to one that joins, or get from one that leaves, is not listed.
func (s *LeaseState) moves(r *renewal) (found []xxladapter.PartitionMove) {
	lapsed := slices.SortedFunc(slices.Values(r.lapsed), func(a, b leaseRow) int { return cmp.Compare(a.Node, b.Node) })
	for _, l := range lapsed {
		h := xxladapter.PartitionMove{Cause: xxladapter.MoveLapsed, Term: l.Term}
		if l.ended == l.until {
			h.Cause = xxladapter.MoveDied
		}
		for _, owner := range s.owners {
			if owner == l.Node {
				h.Partitions++
			}
		}
		if h.Partitions > 0 {
			found = append(found, h)
		}
	}
	if r.partitions != 0 && (r.mine.Number == 0 || !slices.Contains(s.owners[:], r.mine.Node)) {
		found = append(found, xxladapter.PartitionMove{
			Cause: xxladapter.MoveJoined, Term: r.mine.Term, Partitions: r.partitions.Len(),
		})
	}
	return found
}

// quiet reports whether only the node's own lease changes, and only in how long it holds.
func (r *renewal) quiet() bool {
	return r.mine.Number != 0 && !r.elected && len(r.lapsed) == 0 && len(r.cut) == 0 && len(r.moved) == 0
}

// lease returns what the node gets.
func (r *renewal) lease() xxladapter.Lease {
	l := xxladapter.Lease{Term: r.mine.Term, Until: database.FromMilli(r.mine.until), Mode: r.mine.leads.mode(),
		Election: r.mine.leads.election(), Retired: r.mine.retired,
		Partitions: r.partitions, Dead: r.dead, Others: r.others, Quiet: r.still}
	if r.lapse != 0 {
		l.NextLapse = database.FromMilli(r.lapse)
	}
	return l
}

// snapshot returns what later renewals can rely on after this one.
//
// REQUIRES: r is quiet.
func (s *LeaseState) snapshot(r *renewal) leaseSnapshot {
	l := leaseSnapshot{
		at: time.Now(), lease: r.lease(), leads: r.mine.leads, retired: int64(database.Bit(r.mine.retired)),
		leases: int64(len(s.leases)),
	}
	for _, owner := range s.owners {
		if owner == r.mine.Node {
			l.partitions++
		}
	}
	for _, lease := range s.leases {
		l.terms += lease.Number
		l.retirees += int64(database.Bit(lease.retired))
	}
	return l
}
