// Package declared has the commands export and apply, for calendars, groups and jobs that are
// declared in files. The scheduler compares and changes; the commands read and write the files.
package declared

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
)

// ApplyCmd changes a scheduler to what files declare.
type ApplyCmd struct {
	client.Flags
	File   []string `short:"f" required:"" placeholder:"PATH" help:"File or folder of declarations in YAML or JSON, or - for standard input. May be given several times."`
	DryRun bool     `help:"Only print what would change. The exit code is 5 if anything would."`
	Prune  bool     `help:"Delete the jobs of the declarations' owner that the declarations do not name."`
	Adopt  bool     `help:"Also declare jobs that another owner has declared."`
}

// ExitDiffers is the exit code of a dry run that finds differences. No other command returns it.
const ExitDiffers = 5

// Run applies the declarations, and prints what has changed field by field.
func (c *ApplyCmd) Run(inv *command.Invocation) error {
	files, err := readDeclarations(inv, c.File)
	if err != nil {
		return err
	}
	path := "/apply"
	if c.DryRun {
		path += "?dryRun=true"
	}
	body := struct {
		Files []declare.File `json:"files"`
		Prune bool           `json:"prune,omitempty"`
		Adopt bool           `json:"adopt,omitempty"`
	}{files, c.Prune, c.Adopt}
	api := c.API()
	api.Patient = true
	var raw json.RawMessage
	err = command.Waiting(inv.Stderr, inv.Asks && !c.Quiet, command.Doing("applying"), func() error {
		return api.Call(inv.Context, "POST", path, body, &raw)
	})
	if err != nil {
		return c.report(inv, err)
	}
	var result struct {
		Changes   []declare.Change
		Unchanged int
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		return err
	}
	switch {
	case c.Structured():
		if err := c.PrintRaw(inv.Stdout, raw); err != nil {
			return err
		}
	case c.Quiet:
		for _, change := range result.Changes {
			if change.Kind == xxladapter.AuditCalendar {
				fmt.Fprintln(inv.Stdout, change.Name) // calendars have no ids
				continue
			}
			fmt.Fprintln(inv.Stdout, change.ID)
		}
	default:
		printChanges(inv.Stdout, result.Changes)
		fmt.Fprintf(inv.Stdout, "%d changed, %d unchanged\n", len(result.Changes), result.Unchanged)
	}
	if c.DryRun && len(result.Changes) > 0 {
		return command.Exitf(
			ExitDiffers, "%d calendars, groups and jobs differ, nothing was changed", len(result.Changes),
		)
	}
	return nil
}

// report prints all problems but the first, which is the error's message, on lines of their own.
func (c *ApplyCmd) report(inv *command.Invocation, err error) error {
	var refused *client.Error
	if !errors.As(err, &refused) {
		return err
	}
	for _, p := range refused.Problems[min(1, len(refused.Problems)):] {
		c.Note(inv, "%s", p.String())
	}
	return err
}

func printChanges(out io.Writer, changes []declare.Change) {
	for _, change := range changes {
		name := change.AppName
		switch change.Kind {
		case xxladapter.AuditJob:
			name += "/" + change.Key
		case xxladapter.AuditCalendar:
			name = change.Name
		}
		fmt.Fprintf(out, "%s %s %s\n", change.Action, change.Kind, printing.OneLine(name))
		for _, f := range change.Fields {
			if change.Action == declare.Edit {
				fmt.Fprintf(out, "    %s: %s -> %s\n", f.Field, valueText(f.Before), valueText(f.After))
			}
		}
	}
}

func valueText(value json.RawMessage) string {
	if value == nil {
		return "(none)"
	}
	return printing.OneLine(string(value))
}

// readDeclarations reads files and folders, and the scripts that they name. Names are slash paths.
func readDeclarations(inv *command.Invocation, paths []string) (files []declare.File, err error) {
	for _, path := range paths {
		if path == "-" {
			text, err := command.ReadInput(inv)
			if err != nil {
				return nil, err
			}
			files = append(files, declare.File{Name: "stdin.yaml", Text: string(text)})
			continue
		}
		found, err := declarationsIn(path)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, command.Usagef(
			"--file has no declarations, must have files whose names end in .yaml, .yml or .json",
		)
	}
	given := map[string]bool{}
	for _, f := range slices.Clone(files) {
		for _, name := range declare.Scripts(f) {
			if given[name] {
				continue
			}
			given[name] = true
			text, err := os.ReadFile(filepath.FromSlash(name))
			if err != nil {
				return nil, fmt.Errorf("%s: glueSourceFile: %w", f.Name, err)
			}
			files = append(files, declare.File{Name: name, Text: string(text)})
		}
	}
	return files, nil
}

// declarationsIn reads a file, or all declarations below a folder.
func declarationsIn(path string) (files []declare.File, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	read := func(name string) error {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		files = append(files, declare.File{Name: filepath.ToSlash(name), Text: string(text)})
		return nil
	}
	if !info.IsDir() {
		if f := (declare.File{Name: path}); !f.Declares() {
			return nil, command.Usagef("--file is %q, must end in .yaml, .yml or .json", path)
		}
		return files, read(path)
	}
	err = filepath.WalkDir(path, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if f := (declare.File{Name: name}); f.Declares() {
			return read(name)
		}
		return nil
	})
	return files, err
}
