package trigger

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A run in a queue is in doubt after its store has lost what it confirmed last: an executor may
// have taken the run, and the store would not know. The executors that can have it are asked before
// it is published again. An executor that does not answer may have it, and is asked again until it
// answers or is no longer registered. [doubt] decides; the rest of this file asks.
//
// A loss leaves thousands of runs in doubt at once. So a hand-over does not wait for answers: it
// adds its run to the questions that wait for each executor, and the next sweep continues with what
// was answered. One request has all the questions that wait, so that an executor that does not
// answer costs one time-out for all of them.

const (
	// takenLimit limits the runs of one request to an executor. They take about 70 KB, and a broker
	// may refuse more than 1 MB.
	takenLimit = 1000
	// takenPause is how long questions gather before a request.
	takenPause = 100 * time.Millisecond
	// takenAtOnce limits the executors that are asked concurrently.
	takenAtOnce = 64
)

// A doubt is what executors have said about one run.
type doubt struct {
	taker string   // the executor that has taken the run; empty if none has said so
	not   []string // those that have not taken it
	open  []string // those that were asked and have not answered
}

// A verdict says what to do about a run in doubt.
type verdict int

const (
	verdictOpen  verdict = iota // an executor that has not answered may have the run
	verdictTaken                // the run belongs to the executor that has taken it
	verdictFree                 // no executor has taken it: it may be published again
)

// verdict decides. One executor that has taken the run is enough; otherwise all must have answered.
func (d *doubt) verdict() verdict {
	switch {
	case d.taker != "":
		return verdictTaken
	case len(d.open) > 0:
		return verdictOpen
	}
	return verdictFree
}

// ask sets the executors that may have the run now. Those that have answered are not asked again:
// an executor that takes the run later asks the store for it, which then knows the taker.
func (d *doubt) ask(takers []string) {
	d.open = d.open[:0]
	for _, addr := range takers {
		if !slices.Contains(d.not, addr) {
			d.open = append(d.open, addr)
		}
	}
}

// hear notes the answer of an executor. The first one that has taken the run keeps it, as in the
// store.
func (d *doubt) hear(addr string, took bool) {
	d.open = slices.DeleteFunc(d.open, func(asked string) bool { return asked == addr })
	switch {
	case took && d.taker == "":
		d.taker = addr
	case !took && !slices.Contains(d.not, addr):
		d.not = append(d.not, addr)
	}
}

// settleDoubt settles a run in doubt, unless the job's setting ambiguous decides. It returns false
// if no executor has taken the run: then it can be published again. Without a verdict it asks, and
// the run is resolved again.
func (r *run) settleDoubt(ctx context.Context, to xxladapter.QueueAddress) (settled bool, err error) {
	switch r.job.Settings.Ambiguous {
	case xxladapter.AmbiguousSkip:
		return true, r.settle(ctx, skipped(time.Now(), "the store has lost whether an executor took it"))
	case xxladapter.AmbiguousResend:
		return false, nil
	}
	of, d := r.queued.ask(r.log.ID, r.takers(to), time.Now())
	switch d.verdict() {
	case verdictTaken:
		_, err := r.Accept(ctx, []xxladapter.Accept{{LogID: r.log.ID, Address: d.taker}})
		return true, err
	case verdictFree:
		return false, nil
	}
	r.askTakers(ctx, d.open, r.group.AppName, question{r.log, of})
	return true, nil
}

// takers returns the addresses of the executors that may have taken the run for to.
func (r *run) takers(to xxladapter.QueueAddress) (addrs []string) {
	if to.Instance != "" {
		return []string{to.String()}
	}
	for _, addr := range r.addresses() {
		if q, queued := xxladapter.ParseQueueAddress(addr); queued && q.App == to.App && q.Instance != "" {
			addrs = append(addrs, addr)
		}
	}
	return addrs
}

// ask returns the doubt about a run that takers may have, and a copy that is read without the lock.
func (q *queuedRuns) ask(logID int64, takers []string, now time.Time) (of *doubt, d doubt) {
	q.mu.Lock()
	defer q.mu.Unlock()
	r := q.byRun[logID]
	if r.doubt == nil {
		r.doubt = new(doubt)
	}
	r.doubt.ask(takers)
	r.check = now
	if r.doubt.verdict() == verdictOpen {
		r.check = now.Add(queueCheck) // the answers have it resolved earlier
	}
	q.put(logID, r, now)
	return r.doubt, doubt{taker: r.doubt.taker, open: slices.Clone(r.doubt.open)}
}

// hear notes the answers of an executor, and returns the runs that are known to be taken. Runs with
// a verdict are due, and ready says that there are such.
func (q *queuedRuns) hear(
	addr string, asked []question, took []bool, now time.Time,
) (taken []xxladapter.Accept, ready bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for i, about := range asked {
		r := q.byRun[about.log.ID]
		if r.doubt != about.of {
			continue // the run was settled otherwise, or the answer is older than another loss
		}
		r.doubt.hear(addr, took[i])
		switch r.doubt.verdict() {
		case verdictOpen:
			continue
		case verdictTaken:
			taken = append(taken, xxladapter.Accept{LogID: about.log.ID, Address: r.doubt.taker})
		}
		ready, r.check = true, now
		q.byRun[about.log.ID] = r
	}
	return taken, ready
}

// unheard notes that an executor has not answered about runs. They are resolved again after a
// pause.
func (q *queuedRuns) unheard(asked []question, now time.Time) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, about := range asked {
		if r := q.byRun[about.log.ID]; r.doubt == about.of && r.doubt.verdict() == verdictOpen {
			r.check = now.Add(queueRetry)
			q.byRun[about.log.ID] = r
		}
	}
}

// A question asks whether an executor has taken a run.
type question struct {
	log *xxladapter.Log
	of  *doubt
}

// A questioner holds the questions that wait, by executor and log id. An executor that is in the
// map is being asked.
type questioner struct {
	places chan struct{} // full while takenAtOnce executors are asked

	mu      sync.Mutex // guards the field below
	waiting map[executorKey]map[int64]question
}

func newQuestioner() *questioner {
	return &questioner{places: make(chan struct{}, takenAtOnce), waiting: map[executorKey]map[int64]question{}}
}

// add adds a question to those that wait, and reports whether the caller has to ask.
func (a *questioner) add(to executorKey, about question) (lead bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if lead = a.waiting[to] == nil; lead {
		a.waiting[to] = map[int64]question{}
	}
	a.waiting[to][about.log.ID] = about
	return lead
}

// count returns how many questions wait for an executor.
func (a *questioner) count(to executorKey) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.waiting[to])
}

// take removes at most limit of the questions that wait for an executor. If there is none, the
// caller stops asking, and the goroutine that adds the next question asks again.
func (a *questioner) take(to executorKey, limit int) (list []question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for id, about := range a.waiting[to] {
		if len(list) == limit {
			return list
		}
		list = append(list, about)
		delete(a.waiting[to], id)
	}
	if len(list) == 0 {
		delete(a.waiting, to)
	}
	return list
}

// drop removes all questions that wait for an executor. The goroutine that adds the next question
// asks again.
func (a *questioner) drop(to executorKey) (list []question) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, about := range a.waiting[to] {
		list = append(list, about)
	}
	delete(a.waiting, to)
	return list
}

// askTakers has executors asked about a run. It asks each that is not being asked yet about all the
// runs that wait for it, and gives up its place in the pool before that.
func (h *HandOver) askTakers(ctx context.Context, addrs []string, appName string, about question) {
	var lead []executorKey
	for _, addr := range addrs {
		if to := (executorKey{addr, appName}); h.asking.add(to, about) {
			lead = append(lead, to)
		}
	}
	if len(lead) == 0 {
		return
	}
	leavePlace(ctx)
	var asking sync.WaitGroup
	for _, to := range lead {
		asking.Go(func() { h.askTaker(ctx, to) })
	}
	asking.Wait()
}

// askTaker asks one executor until no question waits for it, or until it does not answer.
func (h *HandOver) askTaker(ctx context.Context, to executorKey) {
	for {
		if h.asking.count(to) < takenLimit {
			select {
			case <-ctx.Done():
			case <-time.After(takenPause):
			}
		}
		list := h.asking.take(to, takenLimit)
		if len(list) == 0 {
			return
		}
		runs := make([]*xxladapter.Log, len(list))
		for i, about := range list {
			runs[i] = about.log
		}
		h.asking.places <- struct{}{}
		var took []bool
		err := recovered(func() (err error) {
			took, err = h.opts.Queue.Taken(ctx, to.addr, to.appName, runs)
			return err
		})
		<-h.asking.places
		if errors.Is(err, ErrCannotTell) {
			took, err = make([]bool, len(runs)), nil
		}
		if err != nil {
			list = append(list, h.asking.drop(to)...)
			h.opts.Logger.Warn(
				"executor does not say which runs it has taken; asking again", "runs", len(list), "address", to.addr,
				"err", err,
			)
			h.queued.unheard(list, time.Now())
			return
		}
		h.heard(ctx, to.addr, list, took)
	}
}

// heard gives runs to the executors that have taken them, and has the others with a verdict
// resolved.
func (h *HandOver) heard(ctx context.Context, addr string, asked []question, took []bool) {
	taken, ready := h.queued.hear(addr, asked, took, time.Now())
	if len(taken) > 0 {
		h.opts.Logger.Warn(
			"executors have taken runs, and the store has lost that; the runs are theirs", "runs", len(taken),
			"address", addr,
		)
		err := recovered(func() error {
			_, err := h.Accept(ctx, taken)
			return err
		})
		if err != nil {
			h.opts.Logger.Error(
				"runs were not given to the executors that have taken them; trying again",
				"runs", len(taken), "err", err,
			)
		}
	}
	if ready {
		h.opts.Scheduler.Sweep()
	}
}
