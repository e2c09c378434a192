package groups

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
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
	row := []string{fmt.Sprint(q.Runs), printing.Time(q.Oldest), fmt.Sprint(q.Redelivered), ""}
	if q.Error != "" {
		row = []string{"", "", "", printing.FirstLine(q.Error)}
	}
	fmt.Fprintln(out)
	queued := printing.Table{Out: out}
	queued.Print([][]string{{"QUEUED RUNS", "OLDEST", "REDELIVERED", ""}, row})
	return nil
}
