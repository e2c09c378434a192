package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
)

type jobGlueSaveCmd struct {
	jobID
	File      string `required:"" placeholder:"FILE" help:"File with the script; - reads it from stdin."`
	Remark    string `required:"" placeholder:"TEXT" help:"What this version changes, 4 to 100 characters."`
	Type      string `placeholder:"TYPE" help:"The language, such as GLUE_PYTHON (default: the job's)."`
	IfUpdated string `placeholder:"TIME" help:"Store it only if the script was not changed since this time, as job glue save prints it."`
}

func (c *jobGlueSaveCmd) Run(inv *invocation, parent *jobCmd) error {
	source, err := c.read(inv)
	if err != nil {
		return err
	}
	form := map[string]any{"glueSource": string(source), "glueRemark": c.Remark}
	if c.Type != "" {
		form["glueType"] = c.Type
	}
	if err := condition(form, c.IfUpdated); err != nil {
		return err
	}
	var raw json.RawMessage
	if err := parent.api().call(inv.ctx, "PUT", c.path("/glue"), form, &raw); err != nil {
		return err
	}
	if parent.structured() {
		return parent.printRaw(inv.stdout, raw)
	}
	var saved struct {
		Updated string `json:"glueUpdated"`
	}
	if err := json.Unmarshal(raw, &saved); err != nil {
		return err
	}
	_, err = fmt.Fprintln(inv.stdout, saved.Updated)
	return err
}

func (c *jobGlueSaveCmd) read(inv *invocation) ([]byte, error) {
	if c.File == "-" {
		return io.ReadAll(inv.stdin)
	}
	return os.ReadFile(c.File)
}
