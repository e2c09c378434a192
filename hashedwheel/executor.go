package hashedwheel

import (
	"errors"
	"fmt"
	"sync"
)

// An Executor runs due tasks elsewhere than on the worker.
//
// Execute must either arrange for run to be called once and return nil, or return an error and
// never call it. It is called by the worker, so it should return soon: if it takes as long as a
// task that stalls the wheel, another worker calls it at the same time. A refusal is logged, at
// most every ten seconds, and the worker runs the task itself: nothing is lost. A timer counts
// refusals in [Stats].Refused. A panic in Execute is a refusal.
type Executor interface{ Execute(run func()) error }

// execute has the executor run the task of a timeout that has fired.
func (e *engine) execute(c call) {
	run := once(func() { e.runGuarded(c) })
	if err := offer(e.executor, run); err != nil {
		e.tally.refused.Add(1)
		e.refusals.warn("hashedwheel: executor refused a task; the worker runs it", "err", err)
		run()
	}
}

// once returns a function that calls run when it is first called. The worker runs what an executor
// has refused, and must not repeat what that executor has run all the same.
func once(run func()) func() {
	var begun flag
	return func() {
		if !begun.Swap(true) {
			run()
		}
	}
}

// offer calls the executor and turns a panic into an error.
func offer(executor Executor, run func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("executor panicked: %v", r)
		}
	}()
	return executor.Execute(run)
}

// runGuarded runs the task of a timeout that has fired, and ends the run.
func (e *engine) runGuarded(c call) {
	defer func() {
		if r := recover(); r != nil {
			e.panicked(c, r)
		}
		e.ran(c)
	}()
	c.task.Run(c.t)
}

// ErrPoolFull is what a Pool answers when its queue is full or it is closed. The timer then runs
// the task itself.
var ErrPoolFull = errors.New("hashedwheel: pool full or closed")

// Goroutines is an Executor that runs each task on a new goroutine, as time.AfterFunc does. It
// never refuses, so a herd of a million timeouts becomes a million goroutines; a Pool does not.
var Goroutines Executor = goroutines{}

type goroutines struct{}

func (goroutines) Execute(run func()) error {
	go run() // nobody waits, as with time.AfterFunc
	return nil
}

// A Pool is an Executor with a fixed number of goroutines and a bounded queue. When the queue is
// full it refuses, and the timer's worker runs the task: the wheel slows down instead of taking
// memory. A Pool must be made by NewPool. Its methods may be called from any goroutine.
type Pool struct {
	queue chan func()
	ended sync.WaitGroup

	mu struct { // held for reading while a task is queued, so that Close comes before or after
		sync.RWMutex
		closed bool
	}
}

// NewPool returns a pool of the given number of goroutines, which must be positive, with room for
// queue waiting tasks, which must not be negative. With room for none, a task is refused unless a
// goroutine is idle. The pool must be closed to end its goroutines.
func NewPool(workers, queue int) (*Pool, error) {
	if workers <= 0 {
		return nil, fmt.Errorf("hashedwheel: NewPool: workers is %d, must be positive", workers)
	}
	if queue < 0 {
		return nil, fmt.Errorf("hashedwheel: NewPool: queue is %d, must not be negative", queue)
	}
	p := &Pool{queue: make(chan func(), queue)}
	for range workers {
		p.ended.Go(func() {
			for run := range p.queue {
				p.run(run)
			}
		})
	}
	return p, nil
}

// run runs a task. If the task calls runtime.Goexit, which ends the goroutine, run starts another
// one in its place.
func (p *Pool) run(run func()) {
	normal := false
	defer func() {
		if !normal {
			p.ended.Go(func() {
				for run := range p.queue {
					p.run(run)
				}
			})
		}
	}()
	run()
	normal = true
}

// Execute queues run. It never waits.
func (p *Pool) Execute(run func()) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if p.mu.closed {
		return ErrPoolFull
	}
	select {
	case p.queue <- run:
		return nil
	default:
		return ErrPoolFull
	}
}

// Close runs what is queued and waits for it. Later tasks are refused. It must not be called from
// inside a task of the pool.
func (p *Pool) Close() {
	p.mu.Lock()
	if !p.mu.closed {
		p.mu.closed = true
		close(p.queue)
	}
	p.mu.Unlock()
	p.ended.Wait()
}
