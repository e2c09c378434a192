package admin

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
)

// An executorForm is what a probe found out about an executor.
type executorForm struct {
	Address    string  `json:"address"`
	Alive      bool    `json:"alive"`
	Shared     bool    `json:"shared,omitempty" doc:"The address is that of a queue and names no executor: whichever has room takes a run. It is not probed, and alive is false."`
	Generation string  `json:"generation,omitempty" doc:"Generation of its protocol: G1 (XXL-JOB 2.2 to 3.1, and most ports), G2 (3.2), G3 (3.3 and 3.4), G4 (3.5) or xxlwheel; omitted if unknown."`
	RoundTrip  float64 `json:"roundTripMs,omitempty"`
	Error      string  `json:"error,omitempty" doc:"Why it counts as dead."`

	Beat    *time.Time `json:"beat,omitempty" doc:"When the executor registered last; omitted if it does not register."`
	RunsNow int        `json:"runsNow" doc:"Runs of the group without an outcome that were sent there, among the newest 1000 such runs."`
}

// A queueForm is what waits in the broker for the executors of a group.
type queueForm struct {
	Runs        int64      `json:"runs" doc:"Runs that no executor has acknowledged."`
	Oldest      *time.Time `json:"oldest,omitempty" doc:"When the oldest of them was published; omitted if there is none."`
	Redelivered int64      `json:"redelivered" doc:"How many of them were delivered more than once: executors died with them, or could not write them down."`
	Error       string     `json:"error,omitempty" doc:"Why the broker does not say."`
}

type executorList struct {
	Executors []executorForm `json:"executors"`
	Queue     *queueForm     `json:"queue,omitempty" doc:"What waits in the queue of the group's app; omitted if none of its executors takes runs from one."`
}

// probesAtOnce is how many executors are probed concurrently.
const probesAtOnce = 16

// probeGroup probes all executors of a group that have an address of their own. An executor that
// does not answer is a result, not an error. A panic is an error of the call.
func (s *Server) probeGroup(ctx context.Context, path api.IDPath) (no executorList, err error) {
	if s.opts.Executors == nil {
		return no, runs.ErrNoExecutors
	}
	g, err := s.group(ctx, path.ID)
	if err != nil {
		return no, err
	}
	beats, running, err := s.workOf(ctx, g)
	if err != nil {
		return no, err
	}
	list := make([]executorForm, len(g.Addresses))
	var calls errgroup.Group
	calls.SetLimit(probesAtOnce)
	for i, addr := range g.Addresses {
		list[i] = executorForm{Address: addr, Beat: beats[addr], RunsNow: running[addr], Shared: isShared(addr)}
		if list[i].Shared {
			continue // no executor answers for all of them
		}
		calls.Go(func() error {
			return api.Recovered(func() error {
				s.probe(ctx, g.AppName, &list[i])
				return nil
			})
		})
	}
	answer := executorList{Executors: list}
	if s.opts.Queue != nil && slices.ContainsFunc(g.Addresses, xxladapter.IsQueueAddress) {
		calls.Go(func() error {
			return api.Recovered(func() error {
				answer.Queue = s.queueState(ctx, g.AppName)
				return nil
			})
		})
	}
	err = calls.Wait()
	return answer, err
}

// probe asks the executor of an app at f.Address, and fills in what it has found out.
func (s *Server) probe(ctx context.Context, app string, f *executorForm) {
	p, err := s.opts.Executors.Probe(ctx, f.Address, app)
	if err != nil {
		f.Error = err.Error()
		return
	}
	f.Alive, f.Generation = true, p.Generation
	f.RoundTrip = float64(p.RoundTrip.Microseconds()) / 1000
}

// isShared reports whether an address is that of a queue and names no executor.
func isShared(addr string) bool {
	a, queued := xxladapter.ParseQueueAddress(addr)
	return queued && a.Instance == ""
}

// queueState returns what waits in the queue of an app. A broker that does not answer is a result.
func (s *Server) queueState(ctx context.Context, app string) *queueForm {
	state, err := s.opts.Queue.State(ctx, app)
	if err != nil {
		return &queueForm{Error: err.Error()}
	}
	return &queueForm{Runs: state.Runs, Oldest: api.Given(state.Oldest), Redelivered: state.Redelivered}
}

// workOf returns the last beat of each registered address of g, and how many of the newest runs of
// g without an outcome each address has.
func (s *Server) workOf(
	ctx context.Context, g *xxladapter.Group,
) (beats map[string]*time.Time, running map[string]int, err error) {
	registered, err := s.opts.Store.Registrations(ctx, g.AppName)
	if err != nil {
		return nil, nil, err
	}
	logs, _, err := s.opts.Store.Runs(ctx, xxladapter.RunFilter{LogFilter: xxladapter.LogFilter{
		GroupID: g.ID, Status: xxladapter.LogRunning, Newest: true, Limit: newestRuns,
	}})
	beats, running = map[string]*time.Time{}, map[string]int{}
	for i := range registered {
		beats[registered[i].Address] = &registered[i].Updated
	}
	for _, l := range logs {
		running[l.Address]++
	}
	return beats, running, err
}
