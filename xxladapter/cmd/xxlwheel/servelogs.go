package main

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// serveLogs says what stays of runs.
type serveLogs struct {
	KeepLogs days `default:"30d" placeholder:"SPAN" help:"How long runs stay in the log, at least 3d; 0: for ever (default ${default})."`

	KeepSuccesses days `default:"10m" placeholder:"SPAN" help:"How long successful runs stay of a job that keeps failures only; beside a Java admin more than 3d, or its report forgets them (default ${default})."`

	StoreRunLogs xxladapter.TextPolicy `default:"failures" enum:"off,failures,all" placeholder:"WHICH" help:"Of which runs to store what they wrote, so that it outlives their executors: off, failures (default) or all."`
}

// minKeepLogs is how long rows stay at least: XXL-JOB's report counts the rows
// of three days.
const minKeepLogs = 3 * 24 * time.Hour

func (s *serveLogs) check() error {
	if keep := time.Duration(s.KeepLogs); keep > 0 && keep < minKeepLogs {
		return usagef("--keep-logs is %v, must be 0 for ever, or at least 3d", keep)
	}
	if keep := time.Duration(s.KeepSuccesses); keep < time.Minute {
		return usagef("--keep-successes is %v, must be at least 1m", keep)
	}
	return nil
}
