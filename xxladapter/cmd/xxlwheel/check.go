package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/checker"
)

type checkCmd struct {
	Files     []string      `arg:"" placeholder:"FILE" help:"Histories in the format of package checker, read as one."`
	Epsilon   time.Duration `default:"2s" help:"How late a run may come after its due time (default ${default})."`
	Grace     time.Duration `default:"1s" help:"How long a hand-over may be on its way (default ${default})."`
	Skew      time.Duration `default:"0s" help:"How far executors' clocks may be behind the scheduler's (default ${default})."`
	StartSkip time.Duration `default:"0s" help:"Time after a start whose due times may be skipped; Java admins skip 5s (default ${default})."`
}

// errFaults is the outcome of a check that found something; what it is stands in
// the report.
var errFaults = errors.New("the history has faults")

func (c *checkCmd) Run(inv *invocation) error {
	for _, limit := range []struct {
		flag string
		d    time.Duration
	}{{"epsilon", c.Epsilon}, {"grace", c.Grace}, {"skew", c.Skew}, {"start-skip", c.StartSkip}} {
		if limit.d < 0 {
			return usagef("--%s is %v, must not be negative", limit.flag, limit.d)
		}
	}
	for _, file := range c.Files {
		if _, err := os.Stat(file); err != nil {
			return fmt.Errorf("read history: %w", err)
		}
	}
	clean, err := checker.CheckFiles(inv.ctx, c.Files, checker.Options{
		Epsilon: c.Epsilon, Grace: c.Grace, Skew: c.Skew, StartSkip: c.StartSkip,
	}, inv.stdout)
	if err == nil && !clean {
		err = errFaults
	}
	return err
}
