package admin

import (
	"context"
	"sync"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
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
//
// REQUIRES: act recovers its panics.
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

// edit makes an edit together with those of the other goroutines.
func (b *editBatch) edit(ctx context.Context, e xxladapter.JobEdit) (xxladapter.JobEdited, error) {
	w := &waitingEdit{edit: e, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.mu.Unlock()
	b.leave(ctx)
	<-w.done
	return w.made, w.err
}

// leave takes the goroutine out of the count. The last one to leave makes the edits that wait, and
// counts their goroutines again. A panic of the store is an error of each of these edits.
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
	outside := context.WithValue(ctx, batchKey{}, nil) // this call waits for nobody
	var made []xxladapter.JobEdited
	err := api.Recovered(func() (err error) {
		made, err = b.store.EditJobs(outside, edits, false)
		return err
	})
	for i, w := range group {
		if w.err = err; err == nil {
			w.made = made[i]
		}
		close(w.done)
	}
}

// EditJobs implements [xxladapter.JobEditStore]. A goroutine of a batch edits through the batch.
func (g guard) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	b, ok := ctx.Value(batchKey{}).(*editBatch)
	if !ok || len(edits) > 1 {
		return g.store.EditJobs(ctx, edits, whole)
	}
	made, err := b.edit(ctx, edits[0])
	if err == nil && whole {
		err = made.Err
	}
	if err != nil {
		return nil, err
	}
	return []xxladapter.JobEdited{made}, nil
}
