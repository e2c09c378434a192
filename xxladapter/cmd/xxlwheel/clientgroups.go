package main

import "fmt"

// groupOf returns the id of the group with an app name.
func (c *clientFlags) groupOf(inv *invocation, app string) (int64, error) {
	apps, err := c.apps(inv)
	if err != nil {
		return 0, err
	}
	for id, name := range apps {
		if name == app {
			return id, nil
		}
	}
	return 0, fmt.Errorf("--app is %q, must be the app name of a group", app)
}

// apps returns the app names of all groups, by the group's id.
func (c *clientFlags) apps(inv *invocation) (map[int64]string, error) {
	var list struct {
		Groups []struct {
			ID      int64
			AppName string
		}
	}
	if err := c.api().call(inv.ctx, "GET", "/groups", nil, &list); err != nil {
		return nil, err
	}
	apps := map[int64]string{}
	for _, g := range list.Groups {
		apps[g.ID] = g.AppName
	}
	return apps, nil
}
