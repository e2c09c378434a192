package audit

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An exportFormat is a format of an export.
type exportFormat string

const (
	formatJSONLines exportFormat = "jsonl"
	formatCSV       exportFormat = "csv"
)

// Values lists all formats.
func (exportFormat) Values() []exportFormat { return []exportFormat{formatJSONLines, formatCSV} }

type exportQuery struct {
	selection
	Format exportFormat `query:"format" doc:"jsonl, one row as the list shows it on each line (the default), or csv."`
}

// export returns all selected rows, oldest first. If the store fails after the first page, or
// deletes old rows faster than they are read, the connection is cut off, so that nobody takes the
// part for the whole.
func (s *Server) export(ctx context.Context, q exportQuery) (api.Download, error) {
	f, err := q.filter()
	if err != nil {
		return nil, err
	}
	contentType, name := api.JSONLines, "audit.jsonl"
	switch q.Format {
	case "", formatJSONLines:
	case formatCSV:
		contentType, name = api.CSV, "audit.csv"
	default:
		return nil, xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be %s or %s",
			"format", q.Format, formatJSONLines, formatCSV)
	}
	f.Limit = api.MaxPage
	rows, err := s.opts.Store.AuditRows(ctx, f)
	if err != nil {
		return nil, err
	}
	return func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", contentType+"; charset=utf-8")
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		write := jsonLines(w)
		if q.Format == formatCSV {
			write = csvLines(w)
		}
		for err = write(shown(ctx, rows)); err == nil && len(rows) == api.MaxPage; err = write(shown(ctx, rows)) {
			f.AfterID = rows[api.MaxPage-1].ID
			if rows, err = s.next(ctx, f); err != nil {
				break
			}
		}
		if err != nil {
			s.opts.Logger.Warn("export of the audit cut off", "err", err)
			panic(http.ErrAbortHandler)
		}
	}, nil
}

// next returns the next page of an export. It fails if rows behind f.AfterID have been deleted by
// then, because the page may lack them.
func (s *Server) next(ctx context.Context, f xxladapter.AuditFilter) ([]xxladapter.AuditRow, error) {
	rows, err := s.opts.Store.AuditRows(ctx, f)
	if err != nil || len(rows) > 0 && rows[0].ID == f.AfterID+1 {
		return rows, err
	}
	ends, err := s.opts.Store.AuditEnds(ctx)
	if err == nil && ends.Anchor.ID > f.AfterID {
		err = fmt.Errorf("rows up to %d were deleted because of their age, after %d was read", ends.Anchor.ID, f.AfterID)
	}
	return rows, err
}

func jsonLines(w io.Writer) func([]xxladapter.AuditRow) error {
	encoder := json.NewEncoder(w)
	return func(rows []xxladapter.AuditRow) error {
		for i := range rows {
			if err := encoder.Encode(&rows[i]); err != nil {
				return err
			}
		}
		return nil
	}
}

// csvLines writes the header with the first rows.
func csvLines(w io.Writer) func([]xxladapter.AuditRow) error {
	lines := csv.NewWriter(w)
	header := []string{
		"id", "time", "actorKind", "actorName", "actorAddress", "call",
		"objectKind", "objectId", "objectName", "jobId", "jobGroup", "changes", "previousHash", "hash",
	}
	return func(rows []xxladapter.AuditRow) error {
		if header != nil {
			_ = lines.Write(header) // an error comes back from Flush
			header = nil
		}
		for _, r := range rows {
			cells := []string{
				strconv.FormatInt(r.ID, 10), r.At.Format(time.RFC3339Nano), string(r.Actor.Kind), r.Actor.Name,
				r.Actor.Address, r.Call,
				r.Object.Kind, fmt.Sprint(r.Object.ID), r.Object.Name, fmt.Sprint(r.Object.JobID),
				fmt.Sprint(r.Object.GroupID),
				r.ChangesText(), r.Previous, r.Hash,
			}
			for i, cell := range cells {
				cells[i] = noFormula(cell)
			}
			_ = lines.Write(cells)
		}
		lines.Flush()
		return lines.Error()
	}
}

// noFormula keeps a spreadsheet from running a cell that begins like a formula.
func noFormula(cell string) string {
	if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r") {
		return "'" + cell
	}
	return cell
}
