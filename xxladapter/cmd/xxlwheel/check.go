package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type checkCmd struct {
	Files     []string      `arg:"" placeholder:"FILE" help:"Files in the format of package checker; together they form one history."`
	Epsilon   time.Duration `default:"2s" help:"Longest time a run may start after its due time (default ${default})."`
	Grace     time.Duration `default:"1s" help:"Longest time a hand-over may take to reach its executor (default ${default})."`
	Skew      time.Duration `default:"0s" help:"How far the clocks of executors may lag behind the scheduler's (default ${default})."`
	StartSkip time.Duration `default:"0s" help:"Period after the start of a schedule in which due times may be skipped; a Java admin skips 5s (default ${default})."`
}

// errFaults is the outcome of a check that found something; the report has the details.
var errFaults = errors.New("the history has faults")

func (c *checkCmd) Run(inv *command.Invocation) error {
	for _, limit := range []struct {
		flag string
		d    time.Duration
	}{{"epsilon", c.Epsilon}, {"grace", c.Grace}, {"skew", c.Skew}, {"start-skip", c.StartSkip}} {
		if limit.d < 0 {
			return command.Usagef("--%s is %v, must not be negative", limit.flag, limit.d)
		}
	}
	for _, file := range c.Files {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("read history: %w", err)
		}
	}
	clean, err := checker.CheckFiles(inv.Context, c.Files, checker.Options{
		Epsilon: c.Epsilon, Grace: c.Grace, Skew: c.Skew, StartSkip: c.StartSkip,
	}, inv.Stdout)
	if err == nil && !clean {
		err = errFaults
	}
	return err
}
