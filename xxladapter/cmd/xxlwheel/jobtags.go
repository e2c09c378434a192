package main

import "fmt"

type jobTagsCmd struct{}

func (c *jobTagsCmd) Run(inv *invocation, parent *jobCmd) error {
	type tag struct {
		Tag  string
		Jobs int
	}
	return listing[tag]{
		key: "tags", columns: []string{"TAG", "JOBS"},
		row: func(t *tag) []string { return []string{t.Tag, fmt.Sprint(t.Jobs)} },
	}.print(inv, &parent.clientFlags, "/tags", nil)
}
