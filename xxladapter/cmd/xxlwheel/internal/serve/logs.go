package serve

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// logs configures what is kept of runs and changes.
type logs struct {
	KeepLogs flags.Days `default:"30d" placeholder:"SPAN" help:"How long runs and misfires are kept, at least 3d; 0 keeps them forever (default ${default})."`

	KeepSuccesses flags.Days `default:"10m" placeholder:"SPAN" help:"How long the log keeps successful runs of a job that was added with --keep-logs FAILURES, at least 1m (default ${default}). Beside a Java admin use more than 3d, or its report misses them."`

	KeepAudit flags.Days `default:"180d" placeholder:"SPAN" help:"How long the audit keeps who changed what, and jobs their replaced versions, at least 1d; 0 keeps them forever (default ${default})."`

	KeepStats flags.Days `default:"90d" placeholder:"SPAN" help:"How long the statistics of runs are kept, by hour, group and job, at least 1d; 0 keeps them forever (default ${default})."`

	StoreRunLogs xxladapter.TextPolicy `default:"failures" enum:"off,failures,all" placeholder:"WHICH" help:"Which runs have their logs stored, so that these outlive the executors: off, failures (default) or all."`
}

// minKeepLogs is the shortest time to keep rows: XXL-JOB's report counts the rows of three days.
const minKeepLogs = 3 * 24 * time.Hour

func (s *logs) check() error {
	if keep := time.Duration(s.KeepLogs); keep > 0 && keep < minKeepLogs {
		return command.Usagef("--keep-logs is %v, must be 0 to keep them forever, or at least 3d", keep)
	}
	if keep := time.Duration(s.KeepSuccesses); keep < time.Minute {
		return command.Usagef("--keep-successes is %v, must be at least 1m", keep)
	}
	if keep := time.Duration(s.KeepAudit); keep > 0 && keep < 24*time.Hour {
		return command.Usagef("--keep-audit is %v, must be 0 to keep it forever, or at least 1d", keep)
	}
	if keep := time.Duration(s.KeepStats); keep > 0 && keep < 24*time.Hour {
		return command.Usagef("--keep-stats is %v, must be 0 to keep them forever, or at least 1d", keep)
	}
	return nil
}
