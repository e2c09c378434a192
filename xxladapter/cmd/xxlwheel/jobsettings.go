package main

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// jobSettings are the flags for what XXL-JOB has no column for.
type jobSettings struct {
	Zone              string        `placeholder:"ZONE" help:"Time zone of the cron expression, for example Europe/Berlin (default: the scheduler's)."`
	MisfireWindow     time.Duration `help:"How late a due time may be found without being a misfire (default: the scheduler's 5s)."`
	MisfireLimit      int           `help:"With --misfire ALL: how many due times fire at most, the latest ones (default 100)."`
	MisfireSpacing    time.Duration `help:"With --misfire ALL: the pause between two of them (default: none)."`
	Ambiguous         string        `help:"When an executor does not say whether it took a run: PROBE (default) asks its log, SKIP never sends again, RESEND does."`
	RetryBackoff      time.Duration `help:"Pause before the first retry; each further one waits twice as long (default: none)."`
	RetryBackoffLimit time.Duration `help:"Longest pause before a retry (default 1h)."`
	AlarmOn           string        `help:"Which failures raise an alarm: EACH (default), LAST_RETRY, IN_A_ROW, NEVER."`
	AlarmAfter        int           `help:"With --alarm-on IN_A_ROW: how many failed runs in a row."`
	AlarmRecovered    bool          `help:"Tell of the first success after an alarm too."`
	KeepLogs          string        `help:"Which finished runs keep their log row: ALL (default), FAILURES."`
}

func (s *jobSettings) form() xxladapter.Settings {
	ms := func(d time.Duration) xxladapter.Milliseconds { return xxladapter.Milliseconds(d.Milliseconds()) }
	return xxladapter.Settings{
		Zone:          s.Zone,
		MisfireWindow: ms(s.MisfireWindow), MisfireLimit: s.MisfireLimit, MisfireSpacing: ms(s.MisfireSpacing),
		Ambiguous:    xxladapter.AmbiguousPolicy(s.Ambiguous),
		RetryBackoff: ms(s.RetryBackoff), RetryBackoffLimit: ms(s.RetryBackoffLimit),
		AlarmOn: xxladapter.AlarmRule(s.AlarmOn), AlarmAfter: s.AlarmAfter, AlarmRecovered: s.AlarmRecovered,
		KeepLogs: xxladapter.KeepLogs(s.KeepLogs),
	}
}
