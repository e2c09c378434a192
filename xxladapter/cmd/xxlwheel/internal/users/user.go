// Package users has the commands for users, their personal tokens and their sessions.
package users

import (
	"fmt"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// UserCmd has one subcommand for each operation on a user.
type UserCmd struct {
	client.Flags

	List     userListCmd     `cmd:"" help:"List the users with their roles."`
	Create   userCreateCmd   `cmd:"" help:"Create a user and print its id. The password is asked for on a terminal, or else is the only line of standard input."`
	Password userPasswordCmd `cmd:"" help:"Replace the password of a user, which ends its sessions and personal tokens. The new one is asked for on a terminal, or else is the only line of standard input."`
	Grant    userGrantCmd    `cmd:"" help:"Give a user a role for groups, or take it away."`
	Remove   userRemoveCmd   `cmd:"" help:"Delete a user with its sessions and tokens."`
}

// A grantView is a role for a group, or for all if the group is 0, as the API has it.
type grantView struct {
	JobGroup int64           `json:"jobGroup"`
	Role     xxladapter.Role `json:"role"`
}

// String returns the grant as one word: 7=editor, or all=viewer.
func (g grantView) String() string {
	if g.JobGroup == 0 {
		return "all=" + string(g.Role)
	}
	return fmt.Sprintf("%d=%s", g.JobGroup, g.Role)
}

// A userView is a user as the API returns it.
type userView struct {
	ID          int64       `json:"id"`
	Name        string      `json:"name"`
	HasPassword bool        `json:"hasPassword"`
	Provider    bool        `json:"provider"`
	Grants      []grantView `json:"grants"`
	Added       *time.Time  `json:"addTime"`
}

// roles returns what the user may do, as one cell.
func (u *userView) roles() string {
	words := make([]string, len(u.Grants))
	for i, g := range u.Grants {
		words[i] = g.String()
	}
	if len(words) == 0 {
		return "-"
	}
	return strings.Join(words, " ")
}

// login returns how the user signs in.
func (u *userView) login() string {
	switch {
	case u.Provider:
		return "provider"
	case u.HasPassword:
		return "password"
	}
	return "-"
}

type userListCmd struct{}

func (c *userListCmd) Run(inv *command.Invocation, parent *UserCmd) error {
	return client.Listing[userView]{
		Key: "users", Columns: []string{"ID", "NAME", "SIGNS IN BY", "ADDED", "ROLES"},
		Row: func(u *userView) []string {
			return []string{fmt.Sprint(u.ID), u.Name, u.login(), printing.Time(u.Added), u.roles()}
		},
	}.Print(inv, &parent.Flags, "/users", nil)
}

// roleGroups are the flags that say where a role holds.
type roleGroups struct {
	Group []int64 `xor:"groups" placeholder:"ID" help:"Groups in which the role holds, by id."`
	All   bool    `xor:"groups" help:"The role holds in all groups, including future ones."`
}

// ids returns the ids of the groups, where 0 stands for all, or nil if no flag is given.
func (g *roleGroups) ids() ([]int64, error) {
	if g.All {
		return []int64{0}, nil
	}
	for _, id := range g.Group {
		if id < 1 {
			return nil, command.Usagef("--group is %d, must be the id of a group", id)
		}
	}
	return g.Group, nil
}

type userCreateCmd struct {
	Name       string `arg:"" help:"Name of the user: 1 to 50 characters without blanks and slashes."`
	Role       string `default:"" enum:",viewer,operator,editor,coder,admin" placeholder:"ROLE" help:"Role of the user, in the groups that --group or --all names: viewer, operator, editor, coder or admin. Without it, the user may do nothing yet."`
	NoPassword bool   `help:"The user has no password, and acts by personal tokens alone."`
	roleGroups
}

func (c *userCreateCmd) Run(inv *command.Invocation, parent *UserCmd) error {
	groups, err := c.ids()
	switch {
	case err != nil:
		return err
	case c.Role != "" && len(groups) == 0:
		return command.Usagef("--role is %s, must be given with --group or --all", c.Role)
	case c.Role == "" && len(groups) > 0:
		return command.Usagef("--role is missing, must be given with --group or --all")
	}
	form := map[string]any{"name": c.Name}
	if c.Role != "" {
		form["grants"] = granted(nil, groups, c.Role)
	}
	if !c.NoPassword {
		if form["password"], err = command.ReadPassword(inv, true); err != nil {
			return err
		}
	}
	var created struct{ ID int64 }
	if err := parent.API().Call(inv.Context, "POST", "/users", form, &created); err != nil {
		return err
	}
	parent.PrintCreated(inv, created.ID)
	return nil
}

// granted returns grants with role for each of the given groups, or without these groups if role is
// noRole.
func granted(grants []grantView, groups []int64, role string) []grantView {
	replaced := map[int64]bool{}
	for _, id := range groups {
		replaced[id] = true
	}
	left := []grantView{}
	for _, g := range grants {
		if !replaced[g.JobGroup] {
			left = append(left, g)
		}
	}
	for _, id := range groups {
		if role != noRole && replaced[id] {
			left = append(left, grantView{id, xxladapter.Role(role)})
		}
		replaced[id] = false // a group that is named twice is granted once
	}
	return left
}

// noRole takes a role away.
const noRole = "none"

// userID is the argument that most subcommands share.
type userID struct {
	ID int64 `arg:"" help:"Id of the user, as \"user list\" shows it."`
}

func (id userID) path() string { return fmt.Sprintf("/users/%d", id.ID) }

type userPasswordCmd struct {
	userID
	None bool `help:"Remove the password, so that the user cannot sign in by password."`
}

func (c *userPasswordCmd) Run(inv *command.Invocation, parent *UserCmd) error {
	password := ""
	if !c.None {
		var err error
		if password, err = command.ReadPassword(inv, true); err != nil {
			return err
		}
	}
	return parent.API().Call(inv.Context, "PUT", c.path(), map[string]any{"password": password}, nil)
}

type userGrantCmd struct {
	userID
	Role string `arg:"" enum:"viewer,operator,editor,coder,admin,none" help:"Role, each including those before it: viewer, operator, editor, coder or admin; none takes the role away. Roles for other groups stay."`
	roleGroups
}

// Run reads the user's roles and writes all of them, because the API replaces them together.
func (c *userGrantCmd) Run(inv *command.Invocation, parent *UserCmd) error {
	groups, err := c.ids()
	if err != nil {
		return err
	}
	if len(groups) == 0 {
		return command.Usagef("--group or --all is missing, must say where the role %s holds", c.Role)
	}
	var u userView
	if err := parent.API().Call(inv.Context, "GET", c.path(), nil, &u); err != nil {
		return err
	}
	form := map[string]any{"grants": granted(u.Grants, groups, c.Role)}
	return parent.API().Call(inv.Context, "PUT", c.path(), form, nil)
}

type userRemoveCmd struct {
	userID
	command.Confirmation
}

func (c *userRemoveCmd) Run(inv *command.Invocation, parent *UserCmd) error {
	if !c.Yes {
		var u userView
		if err := parent.API().Call(inv.Context, "GET", c.path(), nil, &u); err != nil {
			return err
		}
		if err := c.Confirm(
			inv, fmt.Sprintf("Delete user %d, %s, and its sessions and tokens?", c.ID, u.Name),
		); err != nil {
			return err
		}
	}
	return parent.API().Call(inv.Context, "DELETE", c.path(), nil, nil)
}
