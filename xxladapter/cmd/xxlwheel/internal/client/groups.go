package client

import (
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

// GroupOf returns the id of the group with an app name.
func (c *Flags) GroupOf(inv *command.Invocation, app string) (int64, error) {
	apps, err := c.Apps(inv)
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

// Apps returns the app names of all groups, by the group's id.
func (c *Flags) Apps(inv *command.Invocation) (map[int64]string, error) {
	var list struct {
		Groups []struct {
			ID      int64
			AppName string
		}
	}
	if err := c.API().Call(inv.Context, "GET", "/groups", nil, &list); err != nil {
		return nil, err
	}
	apps := map[int64]string{}
	for _, g := range list.Groups {
		apps[g.ID] = g.AppName
	}
	return apps, nil
}
