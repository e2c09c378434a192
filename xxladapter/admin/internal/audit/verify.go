package audit

import (
	"context"
	"errors"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

// An auditCheck is the result of a check of the chain.
type auditCheck struct {
	Whole  bool                     `json:"whole" doc:"True if every row follows the one before and none is missing."`
	Rows   int64                    `json:"rows" doc:"How many rows were checked."`
	Anchor xxladapter.AuditPosition `json:"anchor" doc:"The newest row that was deleted because of its age; the chain begins behind it."`
	Last   xxladapter.AuditPosition `json:"last" doc:"The newest row. A copy that is kept elsewhere shows later whether the whole chain was rewritten."`
	Broken *brokenRow               `json:"broken,omitempty" doc:"The first row that breaks the chain."`
}

type brokenRow struct {
	ID   int64  `json:"id"`
	Rule string `json:"rule" doc:"What is wrong with the row."`
}

// verify follows the chain from its anchor to its last row. If retention deletes its first rows
// meanwhile, it begins again, and fails after five such checks.
func (s *Server) verify(ctx context.Context, _ api.None) (check auditCheck, err error) {
	for range 5 {
		var ends xxladapter.AuditEnds
		check, ends, err = s.follow(ctx)
		if err != nil || check.Broken == nil || ends.Anchor == check.Anchor {
			return check, err
		}
	}
	return check, errors.New("rows of the audit were deleted during each of five checks")
}

// follow checks the chain once, and returns its ends as they are afterwards.
func (s *Server) follow(ctx context.Context) (check auditCheck, ends xxladapter.AuditEnds, err error) {
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
		// A row is appended and the end moved in one transaction, so an end that is read after rows
		// is not before the last of them.
		known := ends.Last
		if ends, err = s.opts.Store.AuditEnds(ctx); err != nil {
			return check, ends, err
		}
		before := mark.ID
		mark, broken = xxladapter.FollowChain(mark, rows)
		check.Rows += mark.ID - before
		if broken == nil && len(rows) < api.MaxPage {
			if known.ID <= mark.ID && mark.ID < ends.Last.ID {
				continue // rows were appended after the page was read
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
