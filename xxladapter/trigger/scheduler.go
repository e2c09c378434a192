package trigger

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Scheduler plans the fires that this package hands over, and holds the lease under which it may.
// Its methods return at once and may be called from any goroutine. The Scheduler of package
// scheduler is one.
type Scheduler interface {
	// Term returns the term in which the node acts now. It returns false once the node can no
	// longer be sure that its lease holds; nothing is claimed or sent then. It is also called right
	// before each send.
	Term() (xxladapter.Term, bool)
	// Fenced reports that the store refused a call because the term is over.
	Fenced(term xxladapter.Term)
	// Early reports that a fire came before its due time, and that the store's clock showed now at
	// some moment since asked. The fire is still planned.
	Early(now, asked time.Time)
	// Planned passes on fires, as they are stored, that were planned outside of a scan: retries and
	// runs of child jobs.
	Planned(fires []xxladapter.Fire)
	// Resumed reports that the schedule of a job, which waited for the end of a run, continues at
	// next.
	Resumed(next time.Time)
	// Again passes on a fire whose hand-over an error of the store or a panic has interrupted. The
	// fire may still be planned.
	Again(f xxladapter.Fire)
	// Sweep requests a search for open fires: planned ones that are due, and claimed ones without a
	// known outcome. It is called when a plan was in doubt, when the [Pool] has room again for
	// fires that it refused, and when executors have answered about runs in doubt.
	Sweep()
}
