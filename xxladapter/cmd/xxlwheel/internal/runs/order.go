package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// An orderView is an order as the API returns it: what became of a trigger.
type orderView struct {
	ID     int64   `json:"id"`
	State  string  `json:"state"`
	LogIDs []int64 `json:"logIds"`
}

// StartLimit limits the wait for a trigger to become a run, unless the command also waits for the
// end.
const StartLimit = 10 * time.Second

// A Waiter waits for what becomes of a trigger.
type Waiter struct {
	Invocation *command.Invocation
	Client     *client.Flags
	Waits      bool      // whether to wait for the end of the runs
	Shown      bool      // whether a terminal shows what is awaited
	Until      time.Time // zero means no limit
}

const (
	// waitPace is the first pause between two polls; it grows up to maxWaitPace.
	waitPace    = 100 * time.Millisecond
	maxWaitPace = time.Second
	// outage is how long the scheduler may be unreachable during the wait.
	outage = time.Minute
)

// ask polls the API until done reports that the answer is the awaited one. over reports that the
// time limit was reached first. Meanwhile a terminal shows the text in what, so done must print
// nothing. ask continues to poll while the scheduler cannot be reached, for up to outage.
func (w *Waiter) ask(what, path string, done func(json.RawMessage) (bool, error)) (over bool, err error) {
	err = command.Waiting(w.Invocation.Stderr, w.Shown, command.Doing(what), func() error {
		over, err = w.poll(path, done)
		return err
	})
	return over, err
}

func (w *Waiter) poll(path string, done func(json.RawMessage) (bool, error)) (over bool, err error) {
	away := time.Time{}
	for pace := waitPace; ; pace = min(pace*3/2, maxWaitPace) {
		var answer json.RawMessage
		err := w.Client.API().Call(w.Invocation.Context, "GET", path, nil, &answer)
		var refusal *client.Error
		switch {
		case err == nil:
			away = time.Time{}
			if ok, err := done(answer); ok || err != nil {
				return false, err
			}
		case errors.As(err, &refusal) || w.Invocation.Context.Err() != nil:
			return false, err
		case away.IsZero():
			away = time.Now()
		case time.Since(away) > outage:
			return false, err
		}
		if !w.Until.IsZero() && time.Now().Add(pace).After(w.Until) {
			return true, nil
		}
		if !sleep(w.Invocation.Context, pace) {
			return false, w.Invocation.Context.Err()
		}
	}
}

// Started waits until the order has become runs, and returns them. Unless w also waits for their
// end, Started prints their ids, or the order if the output is structured; if the time limit is
// reached first, it notes that the order still waits, and returns no runs.
func (w *Waiter) Started(order int64) (runs []RunID, err error) {
	if order == 0 {
		return nil, errors.New(
			"the run was triggered, but the scheduler is of an older release and does not return its id",
		)
	}
	var o orderView
	var raw json.RawMessage
	over, err := w.ask("waiting for the start", fmt.Sprintf("/orders/%d", order), func(answer json.RawMessage) (bool, error) {
		raw = answer
		err := json.Unmarshal(answer, &o)
		return o.State != "PLANNED", err
	})
	switch {
	case err != nil && w.Invocation.Context.Err() != nil:
		return nil, fmt.Errorf("interrupted; order %d was waiting to be handed over", order)
	case err != nil:
		return nil, err
	case over && w.Waits:
		return nil, command.Exitf(command.ExitWaited, "order %d is still waiting to be handed over", order)
	case over:
		w.Client.Note(w.Invocation, "order %d is still waiting to be handed over", order)
		return nil, nil
	case o.State != "STARTED":
		return nil, fmt.Errorf("order %d did not become a run: its state is %s", order, o.State)
	}
	for _, id := range o.LogIDs {
		runs = append(runs, RunID{id})
	}
	switch {
	case w.Waits:
	case w.Client.Structured():
		return runs, w.Client.PrintRaw(w.Invocation.Stdout, raw)
	default:
		for _, run := range runs {
			fmt.Fprintln(w.Invocation.Stdout, run.ID)
		}
	}
	return runs, nil
}

// Ended waits until all runs have ended, and prints how each of them ended.
func (w *Waiter) Ended(runs []RunID) error {
	t := printing.Table{Out: w.Invocation.Stdout}
	rows := [][]string{{"RUN", "STATUS", "MESSAGE"}}
	failed := 0
	for i, run := range runs {
		var l View
		var raw json.RawMessage
		over, err := w.ask(fmt.Sprintf(
			"waiting, %d of %d runs have ended", i, len(runs),
		), run.Path(""), func(answer json.RawMessage) (bool, error) {
			raw = answer
			err := json.Unmarshal(answer, &l)
			return l.Status != "RUNNING", err
		})
		switch {
		case err != nil && w.Invocation.Context.Err() != nil:
			return fmt.Errorf("interrupted; run %d had not ended", run.ID)
		case err != nil:
			return err
		case over:
			return command.Exitf(command.ExitWaited, "run %d has not ended", run.ID)
		case l.Status != "SUCCESS":
			failed++
		}
		if w.Client.Structured() {
			if err := w.Client.PrintRaw(w.Invocation.Stdout, raw); err != nil {
				return err
			}
		}
		if w.Client.Quiet {
			fmt.Fprintln(w.Invocation.Stdout, l.ID)
		}
		rows = append(rows, []string{fmt.Sprint(l.ID), l.Status, printing.FirstLine(l.Message())})
	}
	if !w.Client.Structured() && !w.Client.Quiet {
		t.Print(rows)
	}
	if failed > 0 {
		return command.Exitf(command.ExitRunFailed, "%d of %d runs failed", failed, len(runs))
	}
	return nil
}
