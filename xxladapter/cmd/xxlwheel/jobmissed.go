package main

import (
	"fmt"
	"net/url"
	"time"
)

type jobMissedCmd struct {
	jobID
	Count int `short:"n" default:"20" help:"Print this many of the newest (default ${default}; 0 prints all)."`
}

func (c *jobMissedCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Count < 0 {
		return usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	type misfire struct {
		ID              int64
		Due, Until, At  time.Time
		MisfireStrategy string
		Kind, Calendar  string
		PauseID         int64
	}
	return listing[misfire]{
		key: "misfires", columns: []string{"MISFIRE", "DUE", "UNTIL", "STRATEGY", "NOTICED", "WHY"}, count: c.Count,
		row: func(m *misfire) []string {
			why := m.Kind
			if m.PauseID != 0 {
				why = fmt.Sprintf("%s (pause %d)", m.Kind, m.PauseID)
			} else if m.Calendar != "" {
				why = fmt.Sprintf("%s (calendar %s)", m.Kind, m.Calendar)
			}
			return []string{fmt.Sprint(m.ID), instantOf(m.Due), instantOf(m.Until), m.MisfireStrategy, instantOf(m.At), why}
		},
	}.print(inv, &parent.clientFlags, c.path("/misfires"), url.Values{"newest": {"true"}})
}
