package jobs

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type glueSaveCmd struct {
	jobID
	File      string `predictor:"file" required:"" placeholder:"FILE" help:"File with the script; - reads it from stdin."`
	Remark    string `required:"" placeholder:"TEXT" help:"What this version changes, 4 to 100 characters."`
	Type      string `predictor:"script-type" placeholder:"TYPE" help:"The language: GLUE_SHELL, GLUE_PYTHON, GLUE_PYTHON2, GLUE_NODEJS, GLUE_POWERSHELL, GLUE_PHP or GLUE_GROOVY (default: the job's)."`
	IfUpdated string `placeholder:"TIME" help:"Store it only if the script was not changed since this time, as job glue save prints it."`
}

func (c *glueSaveCmd) Run(inv *command.Invocation, parent *Cmd) error {
	source, err := c.read(inv)
	if err != nil {
		return err
	}
	form := map[string]any{"glueSource": string(source), "glueRemark": c.Remark}
	if c.Type != "" {
		form["glueType"] = c.Type
	}
	if err := client.IfUpdated(form, c.IfUpdated); err != nil {
		return err
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "PUT", c.path("/glue"), form, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var saved struct {
		Updated string `json:"glueUpdated"`
	}
	if err := json.Unmarshal(raw, &saved); err != nil {
		return err
	}
	_, err = fmt.Fprintln(inv.Stdout, saved.Updated)
	return err
}

func (c *glueSaveCmd) read(inv *command.Invocation) ([]byte, error) {
	if c.File == "-" {
		return command.ReadInput(inv)
	}
	return os.ReadFile(c.File)
}
