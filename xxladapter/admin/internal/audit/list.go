package audit

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An auditKind is one of [xxladapter.AuditKinds], so that the OpenAPI document lists them.
type auditKind string

// Values lists all kinds.
func (auditKind) Values() (kinds []auditKind) {
	for _, kind := range xxladapter.AuditKinds() {
		kinds = append(kinds, auditKind(kind))
	}
	return kinds
}

// A selection selects rows of the audit.
type selection struct {
	Actor  string    `query:"actor" doc:"Only changes by this name."`
	Kind   auditKind `query:"kind" doc:"Only changes of objects of this kind, such as job."`
	Object int64     `query:"object" doc:"Only changes of the object with this id; needs kind."`
	Job    int64     `query:"job" doc:"Only changes of this job and what belongs to it."`
	Group  int64     `query:"group" doc:"Only changes of this group and what belongs to it."`
	Since  time.Time `query:"since" doc:"Only changes at or after this instant."`
	Before time.Time `query:"before" doc:"Only changes before this instant."`
}

func (f *selection) filter() (xxladapter.AuditFilter, error) {
	filter := xxladapter.AuditFilter{
		Actor: f.Actor, Kind: string(f.Kind), ObjectID: f.Object, JobID: f.Job, GroupID: f.Group,
		From: f.Since, Before: f.Before,
	}
	kinds := xxladapter.AuditKinds()
	switch {
	case f.Kind != "" && !slices.Contains(kinds, string(f.Kind)):
		return filter, xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be one of %s",
			"kind", f.Kind, strings.Join(kinds, ", "))
	case f.Object != 0 && f.Kind == "":
		return filter, xxladapter.Invalidf(errorrule.Together, "%[1]s is %[3]d, must be together with %[2]s",
			"object", "kind", f.Object)
	}
	return filter, api.CheckSearch("actor", f.Actor)
}

type listQuery struct {
	api.Page
	selection
	Newest bool `query:"newest" doc:"List the newest first."`
}

type auditList struct {
	Rows []xxladapter.AuditRow `json:"rows" doc:"Fewer than limit if some are of users or tokens, which are for administrators of all groups."`
	Next int64                 `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

func (s *Server) list(ctx context.Context, q listQuery) (no auditList, err error) {
	f, err := q.filter()
	if err != nil {
		return no, err
	}
	f.AfterID, f.Newest, f.Limit = q.After, q.Newest, q.Size()+1
	rows, err := s.opts.Store.AuditRows(ctx, f)
	rows, next := api.CutPage(rows, q.Size(), func(r xxladapter.AuditRow) int64 { return r.ID })
	return auditList{shown(ctx, rows), next}, err
}

// shown returns what the caller may read of rows. Rows about users and tokens, and the addresses in
// all rows, are only for administrators of all groups.
func shown(ctx context.Context, rows []xxladapter.AuditRow) []xxladapter.AuditRow {
	list := append([]xxladapter.AuditRow{}, rows...)
	if api.IsAdmin(ctx) {
		return list
	}
	for i := range list {
		list[i].Actor.Address = ""
	}
	return slices.DeleteFunc(list, func(r xxladapter.AuditRow) bool {
		return slices.Contains([]string{xxladapter.AuditUser, xxladapter.AuditToken}, r.Object.Kind)
	})
}
