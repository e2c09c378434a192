// Package audit has the commands that show, export and verify who changed what. An exported file is
// verified without a scheduler.
package audit

import (
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// Cmd has the commands that read the audit.
type Cmd struct {
	client.Flags

	List   listCmd   `cmd:"" help:"List changes, newest first."`
	Export exportCmd `cmd:"" help:"Print all changes, oldest first, as JSON lines or CSV."`
	Verify verifyCmd `cmd:"" help:"Check that no row was changed, removed or inserted, and name the first broken one."`
}

// filter has the flags by which rows are selected.
type filter struct {
	Actor  string `placeholder:"NAME" help:"Only changes by the actor of this name, such as a user, a token or a node."`
	Kind   string `predictor:"audit-kind" placeholder:"KIND" help:"Only changes of objects of this kind: job, group, run, runs, zone, user, token, alarm, pause, calendar or node."`
	Object int64  `placeholder:"ID" help:"Only changes of the object with this id; needs --kind."`
	Job    int64  `placeholder:"ID" help:"Only changes of this job and what belongs to it."`
	Group  int64  `placeholder:"ID" help:"Only changes of this group and what belongs to it."`
	Since  string `placeholder:"TIME" help:"Only changes at or after this time: an RFC 3339 instant, or how long ago, such as 24h."`
	Before string `placeholder:"TIME" help:"Only changes before this time: an RFC 3339 instant, or how long ago, such as 24h."`
}

func (f *filter) query() (url.Values, error) {
	query := url.Values{}
	for name, text := range map[string]string{"actor": f.Actor, "kind": f.Kind} {
		if text != "" {
			query.Set(name, text)
		}
	}
	for name, id := range map[string]int64{"object": f.Object, "job": f.Job, "group": f.Group} {
		if id != 0 {
			query.Set(name, fmt.Sprint(id))
		}
	}
	for name, text := range map[string]string{"since": f.Since, "before": f.Before} {
		if text == "" {
			continue
		}
		at, err := flags.Instant(text)
		if err != nil {
			return nil, command.Usagef(
				"--%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z, or a duration such as 24h", name,
				text,
			)
		}
		query.Set(name, at.Format(time.RFC3339))
	}
	return query, nil
}

type listCmd struct {
	filter
	Count int `short:"n" default:"20" help:"How many changes to print (default ${default}); 0 prints all."`
}

func (c *listCmd) Run(inv *command.Invocation, parent *Cmd) error {
	query, err := c.query()
	if err != nil {
		return err
	}
	if c.Count < 0 {
		return command.Usagef("-n is %d, must not be negative", c.Count)
	}
	query.Set("newest", "true")
	return client.Listing[xxladapter.AuditRow]{
		Key: "rows", Columns: []string{"ROW", "TIME", "WHO", "FROM", "CALL", "OBJECT", "CHANGES"}, Count: c.Count,
		Row: func(r *xxladapter.AuditRow) []string {
			return []string{
				fmt.Sprint(r.ID), printing.Time(&r.At), strings.TrimSpace(string(r.Actor.Kind) + " " + r.Actor.Name),
				r.Actor.Address, r.Call,
				objectText(&r.Object), printing.Changes(r.Changes),
			}
		},
	}.Print(inv, &parent.Flags, "/audit", query)
}

// objectText returns an object as one cell: job 7 nightly.
func objectText(o *xxladapter.AuditObject) string {
	words := []string{o.Kind}
	if o.ID != 0 {
		words = append(words, fmt.Sprint(o.ID))
	}
	if o.Name != "" {
		words = append(words, o.Name)
	}
	return strings.Join(words, " ")
}

type exportCmd struct {
	filter
	Format string `default:"jsonl" enum:"jsonl,csv" placeholder:"FORMAT" help:"jsonl (default), one row on each line, or csv."`
}

func (c *exportCmd) Run(inv *command.Invocation, parent *Cmd) error {
	query, err := c.query()
	if err != nil {
		return err
	}
	query.Set("format", c.Format)
	out := &counter{out: inv.Stdout}
	what := func() string { return fmt.Sprintf("exporting, %d KiB so far", out.bytes.Load()>>10) }
	return command.Waiting(inv.Stderr, inv.Asks && !parent.Quiet &&
		!command.IsTerminal(inv.Stdout), what, func() error {
		return parent.API().Download(inv.Context, "/audit/export?"+query.Encode(), out)
	})
}

// A counter counts what is written to out.
type counter struct {
	out   io.Writer
	bytes atomic.Int64
}

func (c *counter) Write(data []byte) (int, error) {
	n, err := c.out.Write(data)
	c.bytes.Add(int64(n))
	return n, err
}
