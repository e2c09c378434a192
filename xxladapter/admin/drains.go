package admin

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A drainView is a drained address of a group as the API shows it.
type drainView struct {
	Address string     `json:"address"`
	Note    string     `json:"note,omitempty"`
	By      string     `json:"by,omitempty" doc:"Who asked for it."`
	Since   *time.Time `json:"since,omitempty"`
	Until   *time.Time `json:"until,omitempty" doc:"When it ends by itself; omitted if it lasts until it is undone."`
}

// showDrains returns the drains that are in force.
func showDrains(g *xxladapter.Group, now time.Time) (views []drainView) {
	for _, d := range g.DrainsAt(now) {
		views = append(views, drainView{
			Address: d.Address, Note: d.Note, By: d.By, Since: api.Given(d.Since), Until: api.Given(d.Until),
		})
	}
	return views
}

// A drainForm says which address gets no new runs.
type drainForm struct {
	Address string     `json:"address" doc:"An address of the group, as the group shows it." example:"http://10.0.0.7:9999/"`
	Note    string     `json:"note,omitempty" doc:"Why, at most 255 characters." example:"upgrade"`
	Until   *time.Time `json:"until,omitempty" doc:"When it ends by itself; omitted means when it is undone."`
}

// drain keeps new runs away from an address of a group.
func (s *Server) drain(ctx context.Context, path api.IDPath, form drainForm) (no api.None, err error) {
	g, err := s.group(ctx, path.ID)
	if err != nil {
		return no, err
	}
	d := xxladapter.Drain{Address: form.Address, Note: form.Note, By: actorOf(ctx)}
	if form.Until != nil {
		now, err := s.opts.Store.Now(ctx)
		if err != nil {
			return no, err
		}
		if err := xxladapter.CheckUntil(*form.Until, now); err != nil {
			return no, err
		}
		d.Until = *form.Until
	}
	if err := d.Validate(); err != nil {
		return no, err
	}
	if !slices.Contains(g.Addresses, d.Address) {
		return no, xxladapter.Invalidf(errorrule.GroupAddress, "%s is %q, must be an address of group %s",
			"address", d.Address, g.AppName)
	}
	return no, s.opts.Store.DrainExecutor(ctx, g.ID, d)
}

// actorOf names who calls.
func actorOf(ctx context.Context) string {
	by := xxladapter.ActorOf(ctx)
	return cmp.Or(by.Name, string(by.Kind))
}

// An undrainForm names a drained address.
type undrainForm struct {
	Address string `json:"address" doc:"A drained address of the group, which may no longer be registered." example:"http://10.0.0.7:9999/"`
}

func (s *Server) undrain(ctx context.Context, path api.IDPath, form undrainForm) (no api.None, err error) {
	g, err := s.group(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, s.opts.Store.UndrainExecutor(ctx, g.ID, form.Address)
}
