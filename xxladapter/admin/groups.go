package admin

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A groupForm is a group as the management API shows and accepts it.
type groupForm struct {
	ID          int64                   `json:"id,omitempty"`
	AppName     string                  `json:"appName,omitempty"`
	Title       string                  `json:"title,omitempty" doc:"Defaults to the app name for a new group."`
	AddressType *xxladapter.AddressType `json:"addressType,omitempty" doc:"0 if addresses come from registrations, 1 if they are entered by hand."`
	AddressList []string                `json:"addressList,omitempty"`
	Updated     *time.Time              `json:"updateTime,omitempty"`

	Drains []drainView `json:"drains,omitempty" doc:"Read-only: the addresses that get no new runs; see the drain calls."`

	AccessToken    *string `json:"accessToken,omitempty" doc:"The secret of these executors alone, 8 to 255 characters; empty means that they use the scheduler's. It is never shown."`
	HasAccessToken bool    `json:"hasAccessToken,omitempty" doc:"Read-only."`
}

// showGroupForm shows a group at a time of the store's clock.
func showGroupForm(g *xxladapter.Group, now time.Time) groupForm {
	return groupForm{
		ID: g.ID, AppName: g.AppName, Title: g.Title, AddressType: &g.AddressType, AddressList: g.Addresses,
		Updated: api.Given(g.Updated), HasAccessToken: g.AccessToken != "", Drains: showDrains(g, now),
	}
}

// apply sets the given fields on g.
func (f *groupForm) apply(g *xxladapter.Group) error {
	switch {
	case f.ID != 0 && f.ID != g.ID:
		if g.ID == 0 {
			return xxladapter.Invalidf(errorrule.Omitted, "%s is %d, must be omitted for a new group", "id", f.ID)
		}
		return xxladapter.Invalidf(errorrule.AsInPath, "%s is %d, must be %d as in the path", "id", f.ID, g.ID)
	case f.Updated != nil || f.HasAccessToken || f.Drains != nil:
		return xxladapter.Invalidf(errorrule.ReadOnly, "%s is given, must be omitted: they are read-only",
			errorrule.Or{"updateTime", "hasAccessToken", "drains"})
	case f.AppName != "":
		g.AppName = f.AppName
	}
	if f.Title != "" {
		g.Title = f.Title
	}
	if g.Title == "" {
		g.Title = g.AppName
	}
	api.Set(&g.AddressType, f.AddressType)
	api.Set(&g.AccessToken, f.AccessToken)
	if f.AddressList != nil {
		g.Addresses = f.AddressList
	}
	return nil
}

// redirects reports whether the form changes the addresses that are called, or the secret that is
// sent. The scheduler sends its own token to groups without one, so such a change could reveal it.
func (f *groupForm) redirects(was, is *xxladapter.Group) bool {
	return f.AccessToken != nil || is.AppName != was.AppName || is.AddressType != was.AddressType ||
		!slices.Equal(is.Addresses, was.Addresses)
}

type groupList struct {
	Groups []groupForm `json:"groups"`
}

func (s *Server) listGroups(ctx context.Context, _ api.None) (groupList, error) {
	groups, err := s.opts.Store.Groups(ctx)
	if err != nil {
		return groupList{}, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return groupList{}, err
	}
	forms := make([]groupForm, len(groups))
	for i, g := range groups {
		forms[i] = showGroupForm(g, now)
	}
	return groupList{forms}, nil
}

func (s *Server) createGroup(ctx context.Context, _ api.None, form groupForm) (no api.Created, err error) {
	g := new(xxladapter.Group)
	if err := form.apply(g); err != nil {
		return no, err
	}
	if err := s.checkGroup(g); err != nil {
		return no, err
	}
	id, err := s.saveGroup(ctx, g)
	return api.Created{ID: id}, err
}

// saveGroup stores a group, unless another group has its app name.
func (s *Server) saveGroup(ctx context.Context, g *xxladapter.Group) (int64, error) {
	if other, err := s.findGroup(ctx, g.AppName); err != nil {
		return 0, err
	} else if other != nil && other.ID != g.ID {
		return 0, xxladapter.Conflictf(errorrule.AppTaken, "%s %q is taken by group %d", "appName", g.AppName, other.ID)
	}
	id, err := s.opts.Store.SaveGroup(ctx, g)
	s.opts.Tokens.Forget()
	return id, err
}

func (s *Server) showGroup(ctx context.Context, path api.IDPath) (form groupForm, err error) {
	g, err := s.group(ctx, path.ID)
	if err != nil {
		return form, err
	}
	now, err := s.opts.Store.Now(ctx)
	return showGroupForm(g, now), err
}

// updateGroup changes the given fields. If another caller is quicker, it starts again from the
// group as that caller has stored it.
func (s *Server) updateGroup(ctx context.Context, path api.IDPath, form groupUpdateForm) (no api.None, err error) {
	for tries := 0; ; tries++ {
		g, err := s.group(ctx, path.ID)
		if err != nil {
			return no, err
		}
		if err := s.edit(ctx, g, &form); err != nil {
			return no, err
		}
		_, err = s.saveGroup(ctx, g)
		if tries == 3 || !errors.Is(err, xxladapter.ErrConflict) {
			return no, err
		}
	}
}

// edit sets the given fields on g, the stored group, if the caller may change them.
func (s *Server) edit(ctx context.Context, g *xxladapter.Group, form *groupUpdateForm) error {
	was := *g
	g.Base = &was
	if err := form.apply(g); err != nil {
		return err
	}
	if form.redirects(&was, g) {
		if err := api.Allow(ctx, access.Everywhere, nil); err != nil {
			return err
		}
	}
	if err := form.unchanged(&was); err != nil {
		return err
	}
	return s.checkGroup(g)
}

func (s *Server) removeGroup(ctx context.Context, path api.IDPath) (no api.None, err error) {
	if _, err := s.group(ctx, path.ID); err != nil {
		return no, err
	}
	defer s.opts.Tokens.Forget()
	return no, s.opts.Store.RemoveGroup(ctx, path.ID)
}

// checkGroup validates a group, and refuses addresses that must not be called.
func (s *Server) checkGroup(g *xxladapter.Group) error {
	if err := g.Validate(); err != nil {
		return err
	}
	for _, addr := range g.Addresses {
		if err := s.opts.Addresses.CheckURL("addressList", addr); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) groupByApp(ctx context.Context, app string) (*xxladapter.Group, error) {
	g, err := s.findGroup(ctx, app)
	if err == nil && g == nil {
		err = xxladapter.NotFoundf(errorrule.GroupApp, "%s is %q, must be the app name of a group", "appName", app)
	}
	return g, err
}

// findGroup returns the group with the app name, or nil if there is none.
func (s *Server) findGroup(ctx context.Context, app string) (*xxladapter.Group, error) {
	groups, err := s.opts.Store.Groups(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range groups {
		if g.AppName == app {
			return g, nil
		}
	}
	return nil, nil
}

// group returns a group for which the caller has the role that the call needs.
func (s *Server) group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	g, err := s.opts.Store.Group(ctx, id)
	absent := xxladapter.Absent("group", id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, absent
	}
	if err != nil {
		return nil, err
	}
	return g, api.Allow(ctx, id, absent)
}
