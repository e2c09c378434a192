package xxladapter

import (
	"context"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An AddressType is the origin of a group's addresses.
type AddressType int

const (
	AddressAuto   AddressType = 0 // from registrations
	AddressManual AddressType = 1 // typed in by an operator
)

// A Group holds the executors that share an app name: one row of xxl_job_group.
type Group struct {
	ID          int64
	AppName     string // 4 to 64 characters
	Title       string // 1 to 64 characters (12 before release 3.4.0)
	AddressType AddressType
	// Addresses is sorted for automatic groups and as typed for manual ones.
	Addresses []string
	// AccessToken is the secret of these executors alone; empty means the scheduler's. It is stored
	// in plain text, because executors of XXL-JOB 3.5 and later expect it to be sent to them.
	// XXL-JOB has a column for it since that release.
	AccessToken string
	// Drains are the addresses that get no new runs, see [DrainStore], ordered by address. Some may
	// have ended. SaveGroup leaves them as they are.
	Drains []Drain
	// Updated is the time of the last change, by people or of the registered addresses.
	Updated time.Time
	// Base is the state that the caller edited: SaveGroup refuses g if other edits were stored
	// since, see [Group.SameEdits]. Nil skips the check. Stores do not return it.
	Base *Group
}

// SameEdits reports whether g and other agree in all that people edit. Registered addresses and
// drains are not compared.
func (g *Group) SameEdits(other *Group) bool {
	a, b := *g, *other
	a.Drains, b.Drains = nil, nil
	return len(DiffFields(a.Fields(), b.Fields())) == 0
}

// Validate checks the rules of upstream's executor form. It returns the first broken rule as an
// [Error] with [CodeInvalid].
func (g *Group) Validate() error {
	if err := CheckAppName("appName", g.AppName); err != nil {
		return err
	}
	if err := checkText("title", g.Title, 1, 64); err != nil {
		return err
	}
	if err := g.validateToken(); err != nil {
		return err
	}
	switch g.AddressType {
	case AddressAuto:
		return nil
	case AddressManual:
	default:
		return Invalidf(errorrule.OneOf, "%[1]s is %[2]d, must be 0 (automatic) or 1 (manual)",
			"addressType", g.AddressType, "0, 1")
	}
	if len(g.Addresses) == 0 {
		return Invalidf(errorrule.Missing, "%s is empty, a manual group must have an address", "addressList")
	}
	for _, addr := range g.Addresses {
		if err := CheckAddress("addressList", addr); err != nil {
			return err
		}
	}
	if n := len(strings.Join(g.Addresses, ",")); n > MaxRowText {
		return Invalidf(errorrule.BytesAtMost, "%s has %d bytes with its commas, must have at most %d",
			"addressList", n, MaxRowText)
	}
	return nil
}

// CheckAppName refuses a name that a group cannot have.
func CheckAppName(field, name string) error { return checkText(field, name, 4, 64) }

// validateToken checks the access token. Its errors do not contain the token.
func (g *Group) validateToken() error {
	printable := func(r rune) bool { return r > ' ' && r < 0x7f }
	switch n := len(g.AccessToken); {
	case n == 0:
		return nil
	case n < 8 || n > 255:
		return Invalidf(errorrule.Characters, "%s has %d characters, must have %d to %d", "accessToken", n, 8, 255)
	case strings.ContainsFunc(g.AccessToken, func(r rune) bool { return !printable(r) }):
		return Invalidf(errorrule.HeaderText,
			"%s has a blank or a character outside of ASCII, must be fit for an HTTP header",
			"accessToken")
	}
	return nil
}

// CheckAddress refuses an executor address that is neither an http or https URL nor a
// [QueueAddress], or that cannot be part of a comma separated list.
func CheckAddress(field, addr string) error {
	if IsQueueAddress(addr) && len(addr) <= 255 {
		return nil
	}
	rest, ok := strings.CutPrefix(addr, "http://")
	if !ok {
		rest, ok = strings.CutPrefix(addr, "https://")
	}
	if !ok || rest == "" || strings.ContainsAny(addr, ", \t\r\n") || len(addr) > 255 {
		return Invalidf(errorrule.ExecutorURL,
			"%s contains %q, must be http://host:port or https://host:port of at most 255 characters",
			field, addr)
	}
	return nil
}

// A GroupStore is the part of [Store] that keeps groups.
type GroupStore interface {
	// SaveGroup stores a group and returns its id: a new one if g.ID is 0, and otherwise in place
	// of the group with that id. The addresses of an automatic group are computed from
	// registrations; those of g are ignored. The error is [ErrNotFound] if g.ID names no group. It
	// is [ErrConflict] if another group has the app name, or if the stored group has other edits
	// than g.Base.
	SaveGroup(ctx context.Context, g *Group) (int64, error)
	// RemoveGroup deletes a group and the grants for it. The error is [ErrNotFound] if there is
	// none, and [ErrConflict] while it has jobs.
	RemoveGroup(ctx context.Context, id int64) error
	// Group returns a group. The error is [ErrNotFound] if there is none.
	Group(ctx context.Context, id int64) (*Group, error)
	// Groups lists all groups, by id.
	Groups(ctx context.Context) ([]*Group, error)
}
