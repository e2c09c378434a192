package observe

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// InfoCmd describes the scheduler that answers.
type InfoCmd struct{ client.Flags }

// Run prints a description of the scheduler that answers.
func (c *InfoCmd) Run(inv *command.Invocation) error {
	var raw json.RawMessage
	if err := c.API().Call(inv.Context, "GET", "/info", nil, &raw); err != nil {
		return err
	}
	if c.Structured() {
		return c.PrintRaw(inv.Stdout, raw)
	}
	var is struct {
		Version, Revision, Go, Node, Zone, CronProfile string

		Now   time.Time
		Store struct {
			Kind, Version string
			Schema        int64
			Journal       bool
		}
		Alarms    []string
		Retention struct {
			LogsSeconds, SuccessesSeconds, AuditSeconds, StatsSeconds int64
			RunTexts                                                  string
		}
		Limits struct {
			FastPool, SlowPool, PoolPerApp int
			DrainMs, SkewLimitMs           int64
		}
	}
	if err := json.Unmarshal(raw, &is); err != nil {
		return err
	}
	store := strings.ToLower(is.Store.Kind)
	if is.Store.Version != "" {
		store += " " + is.Store.Version
	}
	if is.Store.Schema > 0 {
		store += fmt.Sprintf(", tables of version %d", is.Store.Schema)
	}
	if is.Store.Journal {
		store += ", with a journal"
	}
	kept := func(seconds int64) string {
		if seconds == 0 {
			return "forever"
		}
		return (time.Duration(seconds) * time.Second).String()
	}
	t := printing.Table{Out: inv.Stdout}
	t.Print([][]string{
		{"version", strings.TrimSpace(is.Version + " " + is.Revision)}, {"go", is.Go}, {"node", is.Node},
		{"clock", printing.Time(&is.Now)},
		{"store", store}, {"zone", is.Zone}, {"cron profile", is.CronProfile},
		{"alarms", strings.Join(is.Alarms, ", ")},
		{"keeps runs", kept(is.Retention.LogsSeconds)},
		{"keeps successes", kept(is.Retention.SuccessesSeconds) + " for jobs that keep failures only"},
		{"keeps audit", kept(is.Retention.AuditSeconds)},
		{"keeps statistics", kept(is.Retention.StatsSeconds)}, {"stores run logs", is.Retention.RunTexts},
		{"pools", fmt.Sprintf("%d fast, %d slow", is.Limits.FastPool, is.Limits.SlowPool)},
	})
	return nil
}
