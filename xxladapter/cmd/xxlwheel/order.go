package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// An orderView is an order as the API returns it: what became of a trigger.
type orderView struct {
	ID     int64   `json:"id"`
	State  string  `json:"state"`
	LogIDs []int64 `json:"logIds"`
}

// startLimit limits the wait for a trigger to become a run, unless the command also waits for the
// end.
const startLimit = 10 * time.Second

// A waiter waits for what becomes of a trigger.
type waiter struct {
	inv    *invocation
	client *clientFlags
	waits  bool      // whether to wait for the end of the runs
	shown  bool      // whether a terminal shows what is awaited
	until  time.Time // zero means no limit
}

const (
	// waitPace is the first pause between two polls; it grows up to maxWaitPace.
	waitPace    = 100 * time.Millisecond
	maxWaitPace = time.Second
	// outage is how long the scheduler may be unreachable during the wait.
	outage = time.Minute
)

// ask polls the API until done reports that the answer is the awaited one. over reports that the
// time limit was reached first. Until then a terminal shows the text what, so done must print
// nothing. ask continues to poll while the scheduler cannot be reached, for up to outage.
func (w *waiter) ask(what, path string, done func(json.RawMessage) (bool, error)) (over bool, err error) {
	err = waiting(w.inv.stderr, w.shown, doing(what), func() error {
		over, err = w.poll(path, done)
		return err
	})
	return over, err
}

func (w *waiter) poll(path string, done func(json.RawMessage) (bool, error)) (over bool, err error) {
	away := time.Time{}
	for pace := waitPace; ; pace = min(pace*3/2, maxWaitPace) {
		var answer json.RawMessage
		err := w.client.api().call(w.inv.ctx, "GET", path, nil, &answer)
		var refusal *apiError
		switch {
		case err == nil:
			away = time.Time{}
			if ok, err := done(answer); ok || err != nil {
				return false, err
			}
		case errors.As(err, &refusal) || w.inv.ctx.Err() != nil:
			return false, err
		case away.IsZero():
			away = time.Now()
		case time.Since(away) > outage:
			return false, err
		}
		if !w.until.IsZero() && time.Now().Add(pace).After(w.until) {
			return true, nil
		}
		if !sleep(w.inv.ctx, pace) {
			return false, w.inv.ctx.Err()
		}
	}
}

// started waits until the order has become runs, and prints their ids.
func (w *waiter) started(order int64) (runs []logID, err error) {
	if order == 0 {
		return nil, errors.New("the run was triggered, but the scheduler is of an older release and does not return its id")
	}
	var o orderView
	var raw json.RawMessage
	over, err := w.ask("waiting for the start", fmt.Sprintf("/orders/%d", order), func(answer json.RawMessage) (bool, error) {
		raw = answer
		err := json.Unmarshal(answer, &o)
		return o.State != "PLANNED", err
	})
	switch {
	case err != nil:
		return nil, err
	case over && w.waits:
		return nil, exitf(exitWaited, "order %d is still waiting to be handed over", order)
	case over:
		w.client.note(w.inv, "order %d is still waiting to be handed over", order)
		return nil, nil
	case o.State != "STARTED":
		return nil, fmt.Errorf("order %d did not become a run: its state is %s", order, o.State)
	}
	for _, id := range o.LogIDs {
		runs = append(runs, logID{id})
	}
	switch {
	case w.waits:
	case w.client.structured():
		return runs, w.client.printRaw(w.inv.stdout, raw)
	default:
		for _, run := range runs {
			fmt.Fprintln(w.inv.stdout, run.ID)
		}
	}
	return runs, nil
}

// ended waits until all runs have ended, and prints how each of them ended.
func (w *waiter) ended(runs []logID) error {
	t := table{out: w.inv.stdout}
	rows := [][]string{{"LOG", "STATUS", "MESSAGE"}}
	failed := 0
	for i, run := range runs {
		var l logView
		var raw json.RawMessage
		over, err := w.ask(fmt.Sprintf("waiting, %d of %d runs have ended", i, len(runs)), run.path(""), func(answer json.RawMessage) (bool, error) {
			raw = answer
			err := json.Unmarshal(answer, &l)
			return l.Status != "RUNNING", err
		})
		switch {
		case err != nil:
			return err
		case over:
			return exitf(exitWaited, "run %d has not ended", run.ID)
		case l.Status != "SUCCESS":
			failed++
		}
		if w.client.structured() {
			if err := w.client.printRaw(w.inv.stdout, raw); err != nil {
				return err
			}
		}
		if w.client.Quiet {
			fmt.Fprintln(w.inv.stdout, l.ID)
		}
		rows = append(rows, []string{fmt.Sprint(l.ID), l.Status, firstLine(l.message())})
	}
	if !w.client.structured() && !w.client.Quiet {
		t.print(rows)
	}
	if failed > 0 {
		return exitf(exitRunFailed, "%d of %d runs failed", failed, len(runs))
	}
	return nil
}
