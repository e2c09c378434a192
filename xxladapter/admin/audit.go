package admin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/rule"
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

// An auditFilter selects rows of the audit.
type auditFilter struct {
	Actor  string    `query:"actor" doc:"Only changes by this name."`
	Kind   auditKind `query:"kind" doc:"Only changes of objects of this kind, such as job."`
	Object int64     `query:"object" doc:"Only changes of the object with this id; needs kind."`
	Job    int64     `query:"job" doc:"Only changes of this job and what belongs to it."`
	Group  int64     `query:"group" doc:"Only changes of this group and what belongs to it."`
	Since  time.Time `query:"since" doc:"Only changes at or after this instant."`
	Before time.Time `query:"before" doc:"Only changes before this instant."`
}

func (f *auditFilter) filter() (xxladapter.AuditFilter, error) {
	filter := xxladapter.AuditFilter{
		Actor: f.Actor, Kind: string(f.Kind), ObjectID: f.Object, JobID: f.Job, GroupID: f.Group, From: f.Since, Before: f.Before,
	}
	kinds := xxladapter.AuditKinds()
	switch {
	case f.Kind != "" && !slices.Contains(kinds, string(f.Kind)):
		return filter, xxladapter.Invalidf(rule.OneOf, "%s is %q, must be one of %s",
			"kind", f.Kind, strings.Join(kinds, ", "))
	case f.Object != 0 && f.Kind == "":
		return filter, xxladapter.Invalidf(rule.Together, "%[1]s is %[3]d, must be together with %[2]s",
			"object", "kind", f.Object)
	}
	return filter, api.CheckSearch("actor", f.Actor)
}

type auditQuery struct {
	api.Page
	auditFilter
	Newest bool `query:"newest" doc:"List the newest first."`
}

type auditList struct {
	Rows []xxladapter.AuditRow `json:"rows" doc:"Fewer than limit if some are of users or tokens, which are for administrators of all groups."`
	Next int64                 `json:"next,omitempty" doc:"The cursor of the next page; omitted on the last page."`
}

func (s *Server) listAudit(ctx context.Context, q auditQuery) (no auditList, err error) {
	f, err := q.filter()
	if err != nil {
		return no, err
	}
	f.AfterID, f.Newest, f.Limit = q.After, q.Newest, q.Size()+1
	rows, err := s.opts.Store.AuditRows(ctx, f)
	rows, next := api.CutPage(rows, q.Size(), func(r xxladapter.AuditRow) int64 { return r.ID })
	return auditList{shownAudit(ctx, rows), next}, err
}

// shownAudit returns what the caller may read of rows: those of users and tokens, and the addresses
// of all, are for callers who may list users.
func shownAudit(ctx context.Context, rows []xxladapter.AuditRow) []xxladapter.AuditRow {
	shown := append([]xxladapter.AuditRow{}, rows...)
	if api.IsAdmin(ctx) {
		return shown
	}
	for i := range shown {
		shown[i].Actor.Address = ""
	}
	return slices.DeleteFunc(shown, func(r xxladapter.AuditRow) bool {
		return slices.Contains([]string{xxladapter.AuditUser, xxladapter.AuditToken}, r.Object.Kind)
	})
}

// An auditCheck is the result of a check of the chain.
type auditCheck struct {
	Whole  bool                 `json:"whole" doc:"True if every row follows the one before and none is missing."`
	Rows   int64                `json:"rows" doc:"How many rows were checked."`
	Anchor xxladapter.AuditMark `json:"anchor" doc:"The newest row that was deleted because of its age; the chain begins behind it."`
	Last   xxladapter.AuditMark `json:"last" doc:"The newest row. Who keeps it elsewhere can later tell that no one has rewritten the whole chain."`
	Broken *brokenRow           `json:"broken,omitempty" doc:"The first row that breaks the chain."`
}

type brokenRow struct {
	ID   int64  `json:"id"`
	Rule string `json:"rule" doc:"What is wrong with the row."`
}

// verifyAudit follows the chain from its anchor to its last row. If retention deletes its first
// rows meanwhile, it begins again.
func (s *Server) verifyAudit(ctx context.Context, _ api.None) (check auditCheck, err error) {
	for range 5 {
		var ends xxladapter.AuditEnds
		check, ends, err = s.followAudit(ctx)
		if err != nil || check.Broken == nil || ends.Anchor == check.Anchor {
			return check, err
		}
	}
	return check, errors.New("rows of the audit were deleted during each of five checks")
}

// followAudit checks the chain once, and returns its ends as they are afterwards.
func (s *Server) followAudit(ctx context.Context) (check auditCheck, ends xxladapter.AuditEnds, err error) {
	if ends, err = s.opts.Store.AuditEnds(ctx); err != nil {
		return check, ends, err
	}
	check = auditCheck{Anchor: ends.Anchor}
	mark := ends.Anchor
	for broken := error(nil); broken == nil; {
		rows, err := s.opts.Store.AuditRows(ctx, xxladapter.AuditFilter{AfterID: mark.ID, Limit: api.MaxPage})
		if err != nil {
			return check, ends, err
		}
		// A row and the end move in one transaction, so an end that is read later is not before it.
		if ends, err = s.opts.Store.AuditEnds(ctx); err != nil {
			return check, ends, err
		}
		before := mark.ID
		mark, broken = xxladapter.FollowChain(mark, rows)
		check.Rows += mark.ID - before
		if broken == nil && len(rows) < api.MaxPage {
			if mark.ID < ends.Last.ID && len(rows) > 0 {
				continue // rows may have come since
			}
			if broken = xxladapter.EndChain(mark, ends.Last); broken == nil {
				break
			}
		}
		var chain *xxladapter.ChainError
		if errors.As(broken, &chain) {
			check.Broken = &brokenRow{chain.ID, chain.Rule}
		}
	}
	check.Last, check.Whole = ends.Last, check.Broken == nil
	return check, ends, nil
}
