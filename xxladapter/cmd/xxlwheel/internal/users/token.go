package users

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// TokenCmd has one subcommand for each operation on a personal token.
type TokenCmd struct {
	client.Flags

	Create tokenCreateCmd `cmd:"" help:"Create a personal token of a user and print its secret, which is not shown again."`
	List   tokenListCmd   `cmd:"" help:"List personal tokens, without their secrets."`
	Revoke tokenRevokeCmd `cmd:"" help:"Delete a personal token, which is refused from then on."`
}

// A credentialView is a personal token as the API lists it.
type credentialView struct {
	ID      int64      `json:"id"`
	User    int64      `json:"userId"`
	Name    string     `json:"name"`
	Role    string     `json:"role"`
	Groups  []int64    `json:"groups"`
	Used    *time.Time `json:"usedTime"`
	Expires *time.Time `json:"expires"`
}

// limits returns the token's role and groups as two cells.
func (v *credentialView) limits() (role, groups string) {
	role, groups = v.Role, strings.Trim(fmt.Sprint(v.Groups), "[]")
	if role == "" {
		role = "its user's"
	}
	if groups == "" {
		groups = "its user's"
	}
	return role, groups
}

type tokenListCmd struct {
	All bool `help:"List those of all users, which needs an administrator of all groups. Without it, the personal token given by --access-token is listed."`
}

func (c *tokenListCmd) Run(inv *command.Invocation, parent *TokenCmd) error {
	query := url.Values{}
	if c.All {
		query.Set("all", "true")
	}
	return client.Listing[credentialView]{
		Key: "credentials", Columns: []string{"ID", "USER", "NAME", "ROLE", "GROUPS", "USED", "EXPIRES"},
		Row: func(v *credentialView) []string {
			role, groups := v.limits()
			return []string{
				fmt.Sprint(v.ID), fmt.Sprint(v.User), v.Name, role, groups, printing.Time(v.Used),
				printing.Time(v.Expires),
			}
		},
	}.Print(inv, &parent.Flags, "/tokens", query)
}

type tokenCreateCmd struct {
	Name    string  `arg:"" help:"What the token is for: 1 to 64 bytes."`
	User    string  `required:"" placeholder:"NAME" help:"Name of the user as whom the token acts."`
	Role    string  `default:"" enum:",viewer,operator,editor,coder,admin" placeholder:"ROLE" help:"Highest role of the token: viewer, operator, editor, coder or admin (default: that of its user)."`
	Group   []int64 `placeholder:"ID" help:"Groups to which the token is limited, by id (default: all groups of its user)."`
	Expires string  `default:"90d" placeholder:"TIME" help:"When the token ends, within 366 days: a span such as 90d or 12h, or an RFC 3339 instant (default ${default})."`
}

func (c *tokenCreateCmd) Run(inv *command.Invocation, parent *TokenCmd) error {
	ends, err := c.ends(time.Now())
	if err != nil {
		return err
	}
	form := map[string]any{"name": c.Name, "user": c.User, "expires": ends.Format(time.RFC3339)}
	if c.Role != "" {
		form["role"] = c.Role
	}
	if len(c.Group) > 0 {
		form["groups"] = c.Group
	}
	var raw json.RawMessage
	if err := parent.API().Call(inv.Context, "POST", "/tokens", form, &raw); err != nil {
		return err
	}
	if parent.Structured() {
		return parent.PrintRaw(inv.Stdout, raw)
	}
	var created struct {
		ID    int64
		Token string
	}
	if err := json.Unmarshal(raw, &created); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	fmt.Fprintln(inv.Stdout, printing.OneLine(created.Token)) // even with --quiet: it is not shown again
	parent.Note(
		inv, "created token %d of %s, which ends %s; its secret is not shown again", created.ID, c.User,
		printing.Time(&ends),
	)
	return nil
}

// ends returns when the token ends.
func (c *tokenCreateCmd) ends(now time.Time) (time.Time, error) {
	var span flags.Days
	if span.UnmarshalText([]byte(c.Expires)) == nil {
		if span <= 0 {
			return time.Time{}, command.Usagef("--expires is %q, must be in the future", c.Expires)
		}
		return now.Add(time.Duration(span)), nil
	}
	at, err := time.Parse(time.RFC3339, c.Expires)
	if err != nil {
		return at, command.Usagef(
			"--expires is %q, must be a span such as 90d or 12h, or an RFC 3339 instant such as 2030-01-02T15:04:05Z",
			c.Expires,
		)
	}
	return at, nil
}

type tokenRevokeCmd struct {
	ID int64 `arg:"" help:"Id of the token, as \"token list\" shows it."`
	command.Confirmation
}

func (c *tokenRevokeCmd) Run(inv *command.Invocation, parent *TokenCmd) error {
	if err := c.Confirm(
		inv, fmt.Sprintf("Delete token %d, so that programs that send it are refused?", c.ID),
	); err != nil {
		return err
	}
	return parent.API().Call(inv.Context, "DELETE", fmt.Sprintf("/tokens/%d", c.ID), nil, nil)
}
