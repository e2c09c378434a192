package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// maxParents is how many runs may wait for their parents to be found.
const maxParents = 256

// parents finds the runs that others follow, one after the other on a goroutine of its own, so that
// no hand-over waits for a slow store.
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

// of calls found with the run logID, or with nil if it cannot be found. If logID is 0, nothing is
// looked up, or too many callers wait, it calls found at once with nil. Otherwise another goroutine
// calls found later.
func (p *parents) of(logID int64, found func(*xxladapter.Log)) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if logID != 0 && p.find != nil && !p.stopped {
		select {
		case p.wanted <- wantedParent{logID, found}:
			return
		default:
		}
	}
	found(nil)
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

// parentsGrace is the time in which parents are found when a process ends.
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
