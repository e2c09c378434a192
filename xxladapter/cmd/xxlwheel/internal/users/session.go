package users

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// SessionCmd has one subcommand for each operation on one's own sessions and password.
type SessionCmd struct {
	client.Flags

	List     sessionListCmd     `cmd:"" help:"List the sessions in which a user is signed in. The password is asked for on a terminal, or else is the only line of standard input."`
	End      sessionEndCmd      `cmd:"" help:"End a session, whose browser has to sign in again. The password is asked for on a terminal, or else is the only line of standard input."`
	Password sessionPasswordCmd `cmd:"" help:"Change one's own password, which ends all sessions of the user. The current password and the new one are asked for on a terminal, or else are the two lines of standard input."`
}

// A sessionUser signs in for one command. Tokens reach no sessions, so that a stolen token cannot
// sign its user out.
type sessionUser struct {
	User string `required:"" placeholder:"NAME" help:"Name of the user who signs in."`
}

// signedIn signs the user in, calls do with flags whose calls are made in that session, and ends
// the session.
func (u sessionUser) signedIn(inv *command.Invocation, flags client.Flags, do func(flags *client.Flags) error) error {
	password, err := command.ReadPassword(inv, false)
	if err != nil {
		return err
	}
	return u.signedInBy(password, inv, flags, do)
}

// signedInBy works like signedIn with a password that has been read.
func (u sessionUser) signedInBy(
	password string, inv *command.Invocation, flags client.Flags, do func(flags *client.Flags) error,
) (err error) {
	flags.AccessToken = ""
	resp, err := flags.API().Send(
		inv.Context, http.MethodPost, "/session", map[string]string{"name": u.User, "password": password},
	)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	flags.InSession(resp.Cookies())
	defer func() {
		if ended := flags.API().Call(
			context.WithoutCancel(inv.Context), http.MethodDelete, "/session", nil, nil,
		); err == nil {
			err = ended
		}
	}()
	return do(&flags)
}

// A sessionView is a session as the API lists it.
type sessionView struct {
	ID      int64      `json:"id"`
	Address string     `json:"address"`
	Added   *time.Time `json:"addTime"`
	Used    *time.Time `json:"usedTime"`
	Expires *time.Time `json:"expires"`
	Current bool       `json:"current"`
}

type sessionListCmd struct{ sessionUser }

func (c *sessionListCmd) Run(inv *command.Invocation, parent *SessionCmd) error {
	return c.signedIn(inv, parent.Flags, func(flags *client.Flags) error {
		return client.Listing[sessionView]{
			Key: "credentials", Columns: []string{"ID", "FROM", "SIGNED IN", "USED", "EXPIRES"},
			Row: func(v *sessionView) []string {
				return []string{
					fmt.Sprint(v.ID), v.Address, printing.Time(v.Added), printing.Time(v.Used),
					printing.Time(v.Expires),
				}
			},
			Skip: func(v *sessionView) bool { return v.Current }, // that of this command
		}.Print(inv, flags, "/me/sessions", url.Values{})
	})
}

type sessionEndCmd struct {
	ID int64 `arg:"" help:"Id of the session, as \"session list\" shows it."`
	sessionUser
}

func (c *sessionEndCmd) Run(inv *command.Invocation, parent *SessionCmd) error {
	return c.signedIn(inv, parent.Flags, func(flags *client.Flags) error {
		return flags.API().Call(inv.Context, http.MethodDelete, fmt.Sprintf("/me/sessions/%d", c.ID), nil, nil)
	})
}

type sessionPasswordCmd struct{ sessionUser }

func (c *sessionPasswordCmd) Run(inv *command.Invocation, parent *SessionCmd) error {
	old, changed, err := command.ReadOldAndNew(inv)
	if err != nil {
		return err
	}
	return c.signedInBy(old, inv, parent.Flags, func(flags *client.Flags) error {
		return flags.API().Call(
			inv.Context, http.MethodPut, "/me/password", map[string]string{"old": old, "new": changed}, nil,
		)
	})
}
