package admin

import (
	"context"
	"errors"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A groupForm is a group as the management API shows and takes it.
type groupForm struct {
	ID          int64                  `json:"id,omitempty"`
	AppName     string                 `json:"appName"`
	Title       string                 `json:"title,omitempty"`
	AddressType xxladapter.AddressType `json:"addressType,omitempty" doc:"0: addresses come from registrations. 1: they are typed in."`
	AddressList []string               `json:"addressList,omitempty"`
	Updated     *time.Time             `json:"updateTime,omitempty"`
}

type groupList struct {
	Groups []groupForm `json:"groups"`
}

// created names what a call has made.
type created struct {
	ID int64 `json:"id"`
}

func (s *Server) listGroups(ctx context.Context, _ none) (groupList, error) {
	groups, err := s.opts.Store.Groups(ctx)
	forms := make([]groupForm, len(groups))
	for i, g := range groups {
		forms[i] = groupForm{g.ID, g.AppName, g.Title, g.AddressType, g.Addresses, given(g.Updated)}
	}
	return groupList{forms}, err
}

func (s *Server) createGroup(ctx context.Context, _ none, form groupForm) (no created, err error) {
	if form.ID != 0 {
		return no, xxladapter.Invalidf("id is %d, must be left out for a new group", form.ID)
	}
	if form.Title == "" {
		form.Title = form.AppName
	}
	g := &xxladapter.Group{
		AppName: form.AppName, Title: form.Title, AddressType: form.AddressType, Addresses: form.AddressList,
	}
	if err := s.checkGroup(g); err != nil {
		return no, err
	}
	if other, err := s.findGroup(ctx, g.AppName); err != nil || other != nil {
		if other != nil {
			err = xxladapter.Conflictf("app_name %q is taken by group %d", g.AppName, other.ID)
		}
		return no, err
	}
	id, err := s.opts.Store.SaveGroup(ctx, g)
	s.opts.Tokens.Forget()
	return created{id}, err
}

// checkGroup refuses also addresses that are well formed and must not be called.
func (s *Server) checkGroup(g *xxladapter.Group) error {
	if err := g.Validate(); err != nil {
		return err
	}
	for _, addr := range g.Addresses {
		if err := s.opts.Addresses.CheckURL("address_list", addr); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) groupByApp(ctx context.Context, app string) (*xxladapter.Group, error) {
	g, err := s.findGroup(ctx, app)
	if err == nil && g == nil {
		err = xxladapter.NotFoundf("appName is %q, must be the app name of a group", app)
	}
	return g, err
}

// findGroup returns nil where no group has the app name.
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

func (s *Server) group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	g, err := s.opts.Store.Group(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, xxladapter.NotFoundf("group %d does not exist", id)
	}
	return g, err
}

// appOf is the app name of a group, empty if it is gone.
func (s *Server) appOf(ctx context.Context, id int64) (string, error) {
	g, err := s.opts.Store.Group(ctx, id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return g.AppName, nil
}
