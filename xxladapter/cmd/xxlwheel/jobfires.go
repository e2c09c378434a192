package main

import (
	"fmt"
	"net/url"
	"strings"
	"time"
)

type jobFiresCmd struct {
	ID    int64  `arg:"" optional:"" help:"Id of the job (default: all jobs)."`
	State string `placeholder:"STATE" help:"Only fires in this state: planned, claimed or ambiguous."`
	Count int    `short:"n" default:"20" help:"Print this many, those that are due first (default ${default}; 0 prints all)."`
}

// A fireView is a fire that is not settled, as the API lists it.
type fireView struct {
	ID, JobID, LogID            int64
	JobName, TriggerType, State string
	Node                        string
	Due                         time.Time
}

func (c *jobFiresCmd) Run(inv *invocation, parent *jobCmd) error {
	if c.Count < 0 {
		return usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	query := url.Values{}
	if c.ID != 0 {
		query.Set("job", fmt.Sprint(c.ID))
	}
	if c.State != "" {
		query.Set("state", strings.ToLower(c.State))
	}
	return listing[fireView]{
		key: "fires", columns: []string{"FIRE", "JOB", "NAME", "DUE", "TYPE", "STATE", "LOG", "NODE"}, count: c.Count,
		row: func(f *fireView) []string {
			log, node := "-", "-"
			if f.LogID != 0 {
				log, node = fmt.Sprint(f.LogID), f.Node
			}
			return []string{fmt.Sprint(f.ID), fmt.Sprint(f.JobID), f.JobName, instantOf(f.Due), f.TriggerType, f.State, log, node}
		},
		after: func(f *fireView) url.Values {
			return url.Values{"afterDue": {f.Due.Format(time.RFC3339Nano)}, "afterId": {fmt.Sprint(f.ID)}}
		},
	}.print(inv, &parent.clientFlags, "/fires", query)
}
