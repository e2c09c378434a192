package hashedwheel

import (
	"fmt"

	"go.uber.org/atomic"
)

// An Executor runs what is due, somewhere else than on the worker.
//
// Execute must either arrange for run to be called once and return nil, or return
// an error and never call it. It is called by the worker, so it should return
// soon. A refusal is counted and logged, and the worker runs the task itself:
// nothing is lost. A panic in Execute counts as a refusal.
type Executor interface{ Execute(run func()) error }

// execute has the executor run the task of a timeout that has fired.
func (e *engine) execute(c call) {
	// An executor that breaks its word, and runs what it refused, shall not run it
	// twice.
	var begun atomic.Bool
	run := func() {
		if !begun.Swap(true) {
			e.runGuarded(c)
		}
	}
	if err := e.offer(run); err != nil {
		e.tally.refused.Add(1)
		e.logger.Error("hashedwheel: executor refused a task; the worker runs it", "err", err)
		run()
	}
}

// offer calls the executor and turns a panic into an error.
func (e *engine) offer(run func()) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("executor panicked: %v", r)
		}
	}()
	return e.executor.Execute(run)
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
