package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// maxParents limits the runs that wait for their parents to be found.
const maxParents = 256

// parents looks up the runs that others retry or follow, one after the other on a goroutine of its
// own, so that no hand-over waits for a slow store.
type parents struct {
	find    func(ctx context.Context, logID int64) (*xxladapter.Log, error) // nil finds none
	wanted  chan wantedParent
	ctx     context.Context
	cancel  context.CancelFunc
	working sync.WaitGroup

	mu      sync.RWMutex // guards stopped
	stopped bool         // nothing may be sent to wanted
}

type wantedParent struct {
	logID int64
	found func(*xxladapter.Log)
}

func findParents(find func(ctx context.Context, logID int64) (*xxladapter.Log, error)) *parents {
	p := &parents{find: find, wanted: make(chan wantedParent, maxParents)}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	if find != nil {
		p.working.Go(p.work)
	}
	return p
}

// of calls found with the run logID, or with nil if it cannot be found. If logID is 0, find is nil,
// p is stopped, or too many runs wait already, it calls found at once with nil. Otherwise another
// goroutine calls found later.
func (p *parents) of(logID int64, found func(*xxladapter.Log)) {
	if !p.ask(wantedParent{logID, found}) {
		found(nil)
	}
}

// ask hands w to the goroutine that finds parents, and reports whether it has taken it.
func (p *parents) ask(w wantedParent) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if w.logID == 0 || p.find == nil || p.stopped {
		return false
	}
	select {
	case p.wanted <- w:
		return true
	default:
		return false
	}
}

func (p *parents) work() {
	for w := range p.wanted {
		l, err := p.find(p.ctx, w.logID)
		if err != nil { // deleted meanwhile, or the store is away
			l = nil
		}
		w.found(l)
	}
}

// parentsGrace limits how long a process that ends looks up parents.
const parentsGrace = time.Second

// stop waits at most parentsGrace for the parents that are still looked up, and gives up on the
// others.
func (p *parents) stop(ctx context.Context) {
	p.mu.Lock()
	if !p.stopped {
		p.stopped = true
		close(p.wanted)
	}
	p.mu.Unlock()
	ctx, done := context.WithTimeout(ctx, parentsGrace)
	defer done()
	context.AfterFunc(ctx, p.cancel)
	p.working.Wait()
}
