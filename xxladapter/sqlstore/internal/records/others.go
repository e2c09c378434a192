package records

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

// A Java admin on the same tables cannot see xxlwheel_fire: what the last of our processes has
// planned ahead stays there if that process dies for good. Beside a Java admin we therefore plan
// hardly further ahead than the next scan, and leave later due times where the admin finds them.

const (
	// besideOthers is how far ahead a scan plans beside others. BesideOthersIdle applies after a
	// scan that found nothing, because the next one comes two seconds later.
	besideOthers     = 1500 * time.Millisecond
	BesideOthersIdle = 2500 * time.Millisecond

	// OthersLife is how long others are expected after they were noticed: two of a Java admin's
	// pauses when nothing is due.
	OthersLife = 10 * time.Second

	// othersSample limits the jobs whose next times are remembered. A Java admin takes all jobs
	// that are due, so a few of them suffice.
	othersSample = 64
)

// others notices schedulers that know nothing of our side tables, by next times that move without
// us. An edit that does not come through this process, by a Java admin's page or in SQL, looks the
// same; its only cost is that scans plan less far ahead for a while. Other nodes of ours move next
// times too, so no others are expected while such nodes hold leases; those nodes take over what a
// dead one has planned. The zero value is ready to use.
type others struct {
	mu     sync.Mutex      // guards the fields below
	nexts  map[int64]int64 // as this process stored or saw them last, in ms, by job id
	until  time.Time       // until when others are expected, by the local clock
	shared bool            // other nodes of ours use the store
}

// share records whether other nodes of ours hold a lease. While they do, next times are forgotten,
// since those nodes move them.
func (o *others) share(shared bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shared = shared; shared {
		clear(o.nexts)
		o.until = time.Time{}
	}
}

// expected reports whether others were noticed recently.
func (o *others) expected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.shared && time.Now().Before(o.until)
}

// ahead returns how far ahead a scan may plan: at most as far as its caller asked.
func (o *others) ahead(asked time.Duration, resting bool) time.Duration {
	switch {
	case !o.expected():
		return asked
	case resting:
		return min(asked, BesideOthersIdle)
	}
	return min(asked, besideOthers)
}

// saw compares a job's next time with the one that is remembered.
func (o *others) saw(id, next int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before, known := o.nexts[id]; known && before != next && !o.shared {
		o.until = time.Now().Add(OthersLife)
		o.nexts[id] = next
	}
}

// stored remembers the next times of committed decisions.
func (o *others) stored(decisions []Decided) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shared {
		return
	}
	if o.nexts == nil {
		o.nexts = map[int64]int64{}
	}
	for _, d := range decisions {
		if d.Stop || d.Next.Equal(xxladapter.AfterRun) { // the end of a run moves it
			delete(o.nexts, d.JobID)
			continue
		}
		if _, known := o.nexts[d.JobID]; !known && len(o.nexts) >= othersSample {
			for id := range o.nexts { // any other
				delete(o.nexts, id)
				break
			}
		}
		o.nexts[d.JobID] = database.ToMilli(d.Next)
	}
}

// forget drops the next times of decisions that may or may not have been committed.
func (o *others) forget(decisions []Decided) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range decisions {
		delete(o.nexts, d.JobID)
	}
}

// edited drops the next times of jobs that this process has edited, whether or not that was
// committed.
func (o *others) edited(edits []xxladapter.JobEdit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range edits {
		delete(o.nexts, edits[i].ID())
	}
}

// remembered returns the jobs whose next times are known.
func (o *others) remembered() (ids []int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.nexts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// findOthers compares the remembered jobs of the node's partitions. It is called while others are
// expected: our scans then look less far ahead than others do, and would not see what those move.
func (s *Store) findOthers(ctx context.Context, node string) error {
	ids := s.others.remembered()
	if len(ids) == 0 {
		return nil
	}
	condition, args := s.Dialect.Among("id", ids)
	return s.QueryBy(ctx, s.ScanReads, `SELECT id, trigger_next_time FROM xxl_job_info WHERE trigger_status = 1
		AND id % 64 IN (SELECT partition_id FROM xxlwheel_partition WHERE node = ?) AND `+condition, append(
		[]any{node}, args...,
	), func(r database.Row) error {
		var id, next int64
		err := r.Scan(&id, &next)
		if err == nil {
			s.others.saw(id, next)
		}
		return err
	})
}

// shorten drops what a decision plans after until; the job stays due at the first dropped due time.
// The fires of a decision are in the order of their due times, and each due time between them is in
// a misfire.
func shorten(d *xxladapter.Decision, until time.Time) {
	i := slices.IndexFunc(d.Fires, func(f xxladapter.Fire) bool {
		return f.Type == xxladapter.TriggerCron &&
			f.Due.After(until)
	})
	if i < 0 || i == 0 && (len(d.Misfires) == 0 || d.Misfires[0].Due.After(d.Fires[0].Due)) {
		return // the job is due because of the first fire, so that is near enough
	}
	d.Next = d.Fires[i].Due
	d.Misfires = slices.DeleteFunc(d.Misfires, func(m xxladapter.Misfire) bool { return m.Due.After(d.Next) })
	if i > 0 && d.Fires[i-1].Type == xxladapter.TriggerCron {
		d.Last = d.Fires[i-1].Due
	} else if len(d.Misfires) > 0 {
		d.Last = d.Misfires[len(d.Misfires)-1].Until
	}
	d.Stop, d.Reason = false, ""
	d.Fires = d.Fires[:i]
}
