package admin

import (
	"context"
	"net/http"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A groupForm is a group as the management API shows and takes it.
type groupForm struct {
	ID          int64                  `json:"id,omitempty"`
	AppName     string                 `json:"appName"`
	Title       string                 `json:"title"`
	AddressType xxladapter.AddressType `json:"addressType"`
	AddressList []string               `json:"addressList"`
	Updated     *time.Time             `json:"updateTime,omitempty"`
}

func (s *Server) listGroups(r *http.Request) (any, error) {
	groups, err := s.opts.Store.Groups(r.Context())
	if err != nil {
		return nil, err
	}
	forms := make([]groupForm, len(groups))
	for i, g := range groups {
		forms[i] = groupForm{g.ID, g.AppName, g.Title, g.AddressType, g.Addresses, given(g.Updated)}
	}
	return map[string]any{"groups": forms}, nil
}

func (s *Server) createGroup(r *http.Request) (any, error) {
	var form groupForm
	if err := decodeStrict(r, &form); err != nil {
		return nil, err
	}
	if form.ID != 0 {
		return nil, xxladapter.Invalidf("id is %d, must be left out for a new group", form.ID)
	}
	if form.Title == "" {
		form.Title = form.AppName
	}
	g := &xxladapter.Group{
		AppName: form.AppName, Title: form.Title, AddressType: form.AddressType, Addresses: form.AddressList,
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	if other, err := s.findGroup(r.Context(), g.AppName); err != nil || other != nil {
		if other != nil {
			err = xxladapter.Conflictf("app_name %q is taken by group %d", g.AppName, other.ID)
		}
		return nil, err
	}
	id, err := s.opts.Store.SaveGroup(r.Context(), g)
	if err != nil {
		return nil, err
	}
	return map[string]int64{"id": id}, nil
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
