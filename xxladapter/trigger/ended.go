package trigger

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ErrCannotTell is wrapped by the errors of [Client.Ended] and [Client.Taken] for an executor that
// does not answer such questions, such as those of XXL-JOB.
var ErrCannotTell = errors.New("trigger: executor does not say what became of runs")

// cannotTellFor is how long such an executor is not asked again. What listens at an address can
// change.
const cannotTellFor = 10 * time.Minute

// cannotTell remembers such executors, by address. The zero value is ready for use.
type cannotTell struct{ until sync.Map } // string -> time.Time

func (n *cannotTell) has(addr string) bool {
	until, known := n.until.Load(addr)
	if known && !time.Now().Before(until.(time.Time)) {
		n.until.Delete(addr)
		return false
	}
	return known
}

func (n *cannotTell) add(addr string) { n.until.Store(addr, time.Now().Add(cannotTellFor)) }

// Ended asks an executor which of some runs have ended with a result that was acknowledged, and
// returns those results. A code of 0 means that the executor no longer knows the result.
func (c *Client) Ended(ctx context.Context, addr, appName string, runs []*xxladapter.Log) ([]wire.Callback, error) {
	asked := runIDs(runs)
	var ended wire.Callbacks
	if err := c.ask(ctx, addr, appName, wire.PathEnded, asked, &ended); err != nil {
		return nil, err
	}
	_, token := c.sent(ctx, addr, appName)
	for i := range ended {
		ended[i].HandleMsg = access.Conceal(ended[i].HandleMsg, token)
	}
	// An executor speaks for the runs that it was asked for, and for no others.
	return slices.DeleteFunc(ended, func(e wire.Callback) bool {
		return !slices.ContainsFunc(asked, func(id wire.RunID) bool { return id.LogID == e.LogID })
	}), nil
}

// Taken implements [Queuer].
func (c *Client) Taken(ctx context.Context, addr, appName string, runs []*xxladapter.Log) ([]bool, error) {
	var taken []bool
	if err := c.ask(ctx, addr, appName, wire.PathTaken, runIDs(runs), &taken); err != nil {
		return nil, err
	}
	if len(taken) != len(runs) {
		return nil, fmt.Errorf("%s%s: %d answers, must be %d", addr, wire.PathTaken, len(taken), len(runs))
	}
	return taken, nil
}

func runIDs(runs []*xxladapter.Log) []wire.RunID {
	ids := make([]wire.RunID, len(runs))
	for i, l := range runs {
		ids[i] = wire.RunID{
			LogID: wire.Int(l.ID), JobID: wire.Int(l.JobID), LogTime: wire.Int(l.TriggerTime.UnixMilli()),
		}
	}
	return ids
}

// ask asks an executor about runs and decodes its answer. The error wraps [ErrCannotTell] if the
// executor does not know the question.
func (c *Client) ask(ctx context.Context, addr, appName, path string, about []wire.RunID, answer any) error {
	if c.cannotTell.has(addr) {
		return ErrCannotTell
	}
	reply, err := c.call(ctx, addr, appName, path, about)
	var status *statusError
	switch {
	case errors.As(err, &status) && status.status == http.StatusNotFound:
		c.cannotTell.add(addr)
		return ErrCannotTell
	case err != nil:
		return err
	case strings.HasPrefix(reply.Msg, wire.PrefixNotFound):
		c.cannotTell.add(addr)
		return ErrCannotTell
	case reply.Code != wire.CodeOK:
		return fmt.Errorf("%s%s: code %d: %s", addr, path, reply.Code, reply.Msg)
	case reply.Payload == nil: // it answers every path in the same way
		c.cannotTell.add(addr)
		return ErrCannotTell
	}
	if err := wire.Decode(reply.Payload, answer); err != nil {
		return fmt.Errorf("%s%s: %w", addr, path, err)
	}
	return nil
}
