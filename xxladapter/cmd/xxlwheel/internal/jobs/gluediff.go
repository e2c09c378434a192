package jobs

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pmezard/go-difflib/difflib"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

type glueDiffCmd struct {
	jobID
	Version int64 `arg:"" help:"Id of the version, as job glue list prints it."`
	Against int64 `arg:"" optional:"" help:"Id of the version to compare it with (default: the one before)."`
}

// A glueVersionView is a version of a script, as the API shows it.
type glueVersionView struct {
	ID     int64
	Type   string `json:"glueType"`
	Source string `json:"glueSource"`
}

func (c *glueDiffCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Against == 0 {
		before, err := c.before(inv, parent)
		if err != nil {
			return err
		}
		c.Against = before
	}
	var versions [2]glueVersionView // the one to compare with, and the one in question
	for i, id := range []int64{c.Against, c.Version} {
		if err := parent.API().Call(
			inv.Context, "GET", c.path(fmt.Sprintf("/glue/%d", id)), nil, &versions[i],
		); err != nil {
			return err
		}
	}
	diff, err := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		FromFile: versions[0].title(), A: diffLines(versions[0].Source),
		ToFile: versions[1].title(), B: diffLines(versions[1].Source),
		Context: 3,
	})
	switch {
	case err != nil:
		return err
	case parent.Structured():
		return parent.PrintValue(inv.Stdout, map[string]any{"version": c.Version, "against": c.Against, "diff": diff})
	}
	_, err = io.WriteString(inv.Stdout, printing.Plain(diff))
	return err
}

// before returns the id of the version that c.Version has replaced.
func (c *glueDiffCmd) before(inv *command.Invocation, parent *Cmd) (int64, error) {
	var list struct{ Versions []glueVersionView } // newest first
	if err := parent.API().Call(inv.Context, "GET", c.path("/glue"), nil, &list); err != nil {
		return 0, err
	}
	i := slices.IndexFunc(list.Versions, func(v glueVersionView) bool { return v.ID == c.Version })
	switch {
	case i < 0:
		return 0, fmt.Errorf("job %d has no glue version %d", c.ID, c.Version)
	case i == len(list.Versions)-1:
		return 0, command.Usagef("version %d of the script of job %d is the oldest one, needs another version to compare it with", c.Version, c.ID)
	}
	return list.Versions[i+1].ID, nil
}

func (v *glueVersionView) title() string {
	return strings.TrimSpace(fmt.Sprintf("version %d %s", v.ID, v.Type))
}

// diffLines returns the lines of a text as a unified diff has them.
func diffLines(text string) []string {
	lines := slices.Collect(strings.Lines(text))
	if n := len(lines); n > 0 && !strings.HasSuffix(text, "\n") {
		lines[n-1] += "\n\\ No newline at end of file\n"
	}
	return lines
}
