package sample

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
)

// sampleHandlers have the names of XXL-JOB's own samples where they do the same, so that its seed
// jobs run here.
var sampleHandlers = map[string]func(context.Context, *executor.Run) error{
	"demoJobHandler":     logParam,
	"shardingJobHandler": countShard,
	"sleepJobHandler":    sleepParam,
	"failJobHandler":     failParam,
}

// Handle registers the sample handlers with an executor.
func Handle(e *executor.Executor) error {
	for name, f := range sampleHandlers {
		if err := e.Handle(name, f); err != nil {
			return err
		}
	}
	return nil
}

// logParam writes its parameter into the run's log.
func logParam(_ context.Context, run *executor.Run) error {
	run.Logger.Info("hello from xxlwheel", "param", run.Param, "due", run.Due)
	return nil
}

// countShard counts how many of a thousand items fall on its shard.
func countShard(_ context.Context, run *executor.Run) error {
	const items = 1000
	mine := 0
	for item := range items {
		if item%max(run.ShardTotal, 1) == run.ShardIndex {
			mine++
		}
	}
	run.Logger.Info("shard done", "index", run.ShardIndex, "total", run.ShardTotal, "items", mine)
	return nil
}

// sleepParam runs for as long as its parameter says, for example 2s, or until it is cancelled.
func sleepParam(ctx context.Context, run *executor.Run) error {
	d, err := time.ParseDuration(run.Param)
	if err != nil {
		return fmt.Errorf("param is %q, must be a duration such as 2s", run.Param)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failParam fails with its parameter as the reason.
func failParam(_ context.Context, run *executor.Run) error {
	if run.Param == "" {
		return errors.New("failed as requested")
	}
	return errors.New(run.Param)
}
