package main

import (
	"encoding/json"
	"fmt"
	"io"
	"time"
)

// printQueue prints what waits in the broker for the executors of a group.
func printQueue(out io.Writer, raw json.RawMessage) error {
	var q struct {
		Runs, Redelivered int64
		Oldest            *time.Time
		Error             string
	}
	if err := json.Unmarshal(raw, &q); err != nil {
		return err
	}
	row := []string{fmt.Sprint(q.Runs), timeText(q.Oldest), fmt.Sprint(q.Redelivered), ""}
	if q.Error != "" {
		row = []string{"", "", "", firstLine(q.Error)}
	}
	fmt.Fprintln(out)
	queued := table{out: out}
	queued.print([][]string{{"QUEUED RUNS", "OLDEST", "REDELIVERED", ""}, row})
	return nil
}
