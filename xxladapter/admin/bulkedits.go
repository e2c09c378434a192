package admin

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An editBatch lets the goroutines of a bulk call edit their jobs in one transaction. An edit waits
// until every goroutine waits with one or has ended; then all of them are made together, and the
// goroutines continue with their results.
type editBatch struct {
	store xxladapter.JobEditStore

	mu      sync.Mutex     // guards the fields below
	running int            // goroutines that neither wait nor have ended
	waiting []*waitingEdit // for the others
}

type waitingEdit struct {
	edit xxladapter.JobEdit
	made xxladapter.JobEdited
	err  error
	done chan struct{} // closed when made and err are set
}

// batchKey marks the batch in the context of a goroutine that takes part in it.
type batchKey struct{}

// runBatch calls act for each of n, all at the same time, and returns when all have returned. What
// they edit through a [guard] is edited together.
func runBatch(ctx context.Context, store xxladapter.JobEditStore, n int, act func(ctx context.Context, i int)) {
	b := &editBatch{store: store, running: n}
	ctx = context.WithValue(ctx, batchKey{}, b)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			defer b.leave(ctx)
			act(ctx, i)
		})
	}
	all.Wait()
}

// editOne makes an edit, with others if ctx has a batch. ok is false if it has none.
func editOne(ctx context.Context, e xxladapter.JobEdit) (made xxladapter.JobEdited, ok bool, err error) {
	b, ok := ctx.Value(batchKey{}).(*editBatch)
	if !ok {
		return made, false, nil
	}
	w := &waitingEdit{edit: e, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	b.leave(ctx)
	<-w.done
	if w.err == nil {
		w.err = w.made.Err
	}
	return w.made, true, w.err
}

// leave takes the goroutine out of the count. The last one to leave makes the edits that wait, and
// counts their goroutines again.
func (b *editBatch) leave(ctx context.Context) {
	b.mu.Lock()
	b.running--
	if b.running > 0 || len(b.waiting) == 0 {
		b.mu.Unlock()
		return
	}
	group := b.waiting
	b.waiting, b.running = nil, len(group)
	b.mu.Unlock()
	edits := make([]xxladapter.JobEdit, len(group))
	for i, w := range group {
		edits[i] = w.edit
	}
	made, err := b.store.EditJobs(ctx, edits, false)
	for i, w := range group {
		if w.err = err; err == nil {
			w.made = made[i]
		}
		close(w.done)
	}
}

// UpdateJob implements [xxladapter.JobStore].
func (g guard) UpdateJob(ctx context.Context, j *xxladapter.Job, reschedule bool) error {
	if _, ok, err := editOne(ctx, xxladapter.JobEdit{Act: xxladapter.ActOfUpdate(reschedule), Job: j}); ok {
		return err
	}
	return g.store.UpdateJob(ctx, j, reschedule)
}

// StartJob implements [xxladapter.JobStore].
func (g guard) StartJob(ctx context.Context, id int64, seen time.Time, first func(time.Time) time.Time) (time.Time, error) {
	if made, ok, err := editOne(ctx, xxladapter.JobEdit{Act: xxladapter.ActStart, Job: &xxladapter.Job{ID: id, Updated: seen}, First: first}); ok {
		return made.Next, err
	}
	return g.store.StartJob(ctx, id, seen, first)
}

// StopJob implements [xxladapter.JobStore].
func (g guard) StopJob(ctx context.Context, id int64, seen time.Time) error {
	if _, ok, err := editOne(ctx, xxladapter.JobEdit{Act: xxladapter.ActStop, Job: &xxladapter.Job{ID: id, Updated: seen}}); ok {
		return err
	}
	return g.store.StopJob(ctx, id, seen)
}

// RemoveJob implements [xxladapter.JobStore].
func (g guard) RemoveJob(ctx context.Context, id int64) error {
	if _, ok, err := editOne(ctx, xxladapter.JobEdit{Act: xxladapter.ActRemove, Job: &xxladapter.Job{ID: id}}); ok {
		return err
	}
	return g.store.RemoveJob(ctx, id)
}

// EditJobs implements [xxladapter.JobEditStore].
func (g guard) EditJobs(ctx context.Context, edits []xxladapter.JobEdit, whole bool) ([]xxladapter.JobEdited, error) {
	return g.store.EditJobs(ctx, edits, whole)
}
