package records

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Java admin on the same tables cannot see xxlwheel_fire: what the last of our
// processes has planned ahead waits there if it dies for good. Beside one we
// therefore plan hardly further ahead than to the next scan, and leave what is due
// after that where a Java admin finds it.

const (
	// besideOthers is how far ahead a scan plans then, and besideOthersIdle after a scan
	// that found nothing, which is followed by the next one two seconds later.
	besideOthers     = 1500 * time.Millisecond
	BesideOthersIdle = 2500 * time.Millisecond

	// OthersLife is for how long others are expected after they were noticed. It is
	// two of a Java admin's pauses where nothing is due.
	OthersLife = 10 * time.Second

	// othersSample is of how many jobs the next times are remembered. A Java admin takes
	// all jobs that are due, so a few of them tell.
	othersSample = 64
)

// others notices schedulers that know nothing of our side tables: next times move
// without us. What an operator has moved looks the same, and costs no more than a
// short look ahead for a while. Other nodes of ours move next times too, and where there
// are some nothing is expected: they take over what a dead one has planned. The zero value is
// ready.
type others struct {
	mu     sync.Mutex
	nexts  map[int64]int64 // as this process has stored or seen them last, ms, by job id
	until  time.Time       // others are expected, by the local clock
	shared bool            // the store has further nodes of ours
}

// Share notes whether further nodes of ours hold a lease. What was remembered while they
// did is forgotten, since they have moved it.
func (o *others) share(shared bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shared = shared; shared {
		clear(o.nexts)
		o.until = time.Time{}
	}
}

// expected reports whether others were noticed a short while ago.
func (o *others) expected() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return !o.shared && time.Now().Before(o.until)
}

// ahead is how far ahead a scan may plan that was asked to plan so far.
func (o *others) ahead(asked time.Duration, resting bool) time.Duration {
	switch {
	case !o.expected():
		return asked
	case resting:
		return min(asked, BesideOthersIdle)
	}
	return min(asked, besideOthers)
}

// saw compares a job's next time with what is remembered of it.
func (o *others) saw(id, next int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if before, known := o.nexts[id]; known && before != next && !o.shared {
		o.until = time.Now().Add(OthersLife)
		o.nexts[id] = next
	}
}

// stored remembers the next times of decisions that were committed.
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
		if d.Stop || d.Next.Equal(xxladapter.AfterRun) { // the end of a run moves that
			delete(o.nexts, d.JobID)
			continue
		}
		if _, known := o.nexts[d.JobID]; !known && len(o.nexts) >= othersSample {
			for id := range o.nexts { // any other
				delete(o.nexts, id)
				break
			}
		}
		o.nexts[d.JobID] = ToMilli(d.Next)
	}
}

// forget drops what is remembered of decisions that may have been committed or not.
func (o *others) forget(decisions []Decided) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, d := range decisions {
		delete(o.nexts, d.JobID)
	}
}

// remembered are the jobs whose next times are known.
func (o *others) remembered() (ids []int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for id := range o.nexts {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// lookForOthers looks at the remembered jobs of the node's shards where others are
// expected: they take what is further ahead than a scan then sees.
func (s *Store) lookForOthers(ctx context.Context, node string) error {
	ids := s.others.remembered()
	if len(ids) == 0 {
		return nil
	}
	condition, args := s.Dialect.Among("id", ids)
	return s.QueryBy(ctx, s.ScanReads, `SELECT id, trigger_next_time FROM xxl_job_info WHERE trigger_status = 1
		AND id % 64 IN (SELECT shard FROM xxlwheel_shard WHERE node = ?) AND `+condition, append([]any{node}, args...), func(r Row) error {
		var id, next int64
		err := r.Scan(&id, &next)
		if err == nil {
			s.others.saw(id, next)
		}
		return err
	})
}

// shorten drops what a decision plans later than until, which stays due. The fires of
// due times come in their order, and each is followed by the next one.
func shorten(d *xxladapter.Decision, until time.Time) {
	i := slices.IndexFunc(d.Fires, func(f xxladapter.Fire) bool { return f.Type == xxladapter.TriggerCron && f.Due.After(until) })
	if i <= 0 { // the first is why the job is due
		return
	}
	d.Next, d.Last = d.Fires[i].Due, d.Fires[i-1].Due
	if d.Fires[i-1].Type != xxladapter.TriggerCron && len(d.Misfires) > 0 {
		d.Last = d.Misfires[len(d.Misfires)-1].Until
	}
	d.Stop, d.Reason = false, ""
	d.Fires = d.Fires[:i]
}
