package runs

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
)

const (
	// WantText enqueues the fetching of a run's text. Arguments: log id and due time.
	WantText = `INSERT INTO xxlwheel_log_fetch (log_id, attempts, due_ms) VALUES (?, 0, ?)`
	// SelectWants reads due log ids. Arguments: until when they are due, and the limit.
	SelectWants = `SELECT log_id FROM xxlwheel_log_fetch WHERE due_ms <= ? ORDER BY due_ms, log_id LIMIT ?`
	// InsertText inserts the values of a [database.TextRow].
	InsertText = `INSERT INTO xxlwheel_log_text (log_id, body, size, complete, note) VALUES (?, ?, ?, ?, ?)`
	selectText = `SELECT body, size, complete, note FROM xxlwheel_log_text WHERE log_id = ?`
)

// ClaimTexts implements [xxladapter.Store]. It finds due texts without a lock, and claims those
// that are still due once they are locked.
func (s *Store) ClaimTexts(
	ctx context.Context, limit int, again func(attempts int) time.Duration,
) ([]xxladapter.TextClaim, error) {
	now := database.ToMilli(s.db.Clock())
	due, err := s.db.Ids(ctx, SelectWants, []any{now, limit})
	if err != nil || len(due) == 0 {
		return nil, err
	}
	logs, err := LogEntity.Read(ctx, s.db, due)
	if err != nil {
		return nil, err
	}
	var claims []xxladapter.TextClaim
	err = s.db.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) error {
		claims = nil
		attempts, err := lockWants(ctx, tx, due, now)
		if err != nil {
			return err
		}
		var gone []int64 // rows that another tool has deleted
		claimed := map[int][]int64{}
		for _, id := range due {
			before, free := attempts[id]
			switch {
			case !free: // another node was first
			case logs[id] == nil:
				gone = append(gone, id)
			default:
				attempt := before + 1
				claims = append(claims, xxladapter.TextClaim{Log: logs[id], Attempts: attempt})
				claimed[attempt] = append(claimed[attempt], id)
			}
		}
		for attempt, ids := range claimed {
			these, args := tx.Dialect.Among("log_id", ids)
			args = append([]any{attempt, now + again(attempt).Milliseconds()}, args...)
			if _, err := tx.Exec(
				ctx, `UPDATE xxlwheel_log_fetch SET attempts = ?, due_ms = ? WHERE `+these, args...,
			); err != nil {
				return err
			}
		}
		return dropOf(ctx, tx, "xxlwheel_log_fetch", gone)
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// lockWants locks the queue's rows that are still due and returns how often each text was claimed.
func lockWants(ctx context.Context, t *database.Tx, ids []int64, now int64) (attempts map[int64]int, err error) {
	attempts = map[int64]int{}
	these, args := t.Dialect.Among("log_id", ids)
	query := `SELECT log_id, attempts FROM xxlwheel_log_fetch WHERE ` + these +
		` AND due_ms <= ? ORDER BY log_id` + t.Dialect.Lock
	err = t.Query(ctx, query, append(args, now), func(r database.Row) error {
		var (
			id    int64
			count int
		)
		err := r.Scan(&id, &count)
		attempts[id] = count
		return err
	})
	return attempts, err
}

// dropOf deletes a table's rows for these log rows.
func dropOf(ctx context.Context, t *database.Tx, table string, logIDs []int64) error {
	if len(logIDs) == 0 {
		return nil
	}
	these, args := t.Dialect.Among("log_id", logIDs)
	_, err := t.Exec(ctx, `DELETE FROM `+table+` WHERE `+these, args...)
	return err
}

// SaveTexts implements [xxladapter.Store].
func (s *Store) SaveTexts(ctx context.Context, texts []xxladapter.RunText) error {
	ids, rows := make([]int64, len(texts)), make([]database.TextRow, len(texts))
	for i, t := range texts {
		body, err := compress(t.Text)
		if err != nil {
			return err
		}
		complete := 0
		if t.Complete {
			complete = 1
		}
		ids[i], rows[i] = t.LogID, database.TextRow{LogID: t.LogID, Body: body, Size: t.Size, Complete: complete,
			Note: xxladapter.FirstCharacters(t.Note, xxladapter.MaxTextNote)}
	}
	if len(texts) == 0 {
		return nil
	}
	return s.db.WriteLazily(ctx, func(ctx context.Context, tx *database.Tx) error {
		// The rows are locked, so that none is deleted and leaves its text behind.
		there, err := lockLogs(ctx, tx, ids)
		if err != nil {
			return err
		}
		for _, table := range []string{"xxlwheel_log_fetch", "xxlwheel_log_text"} {
			if err := dropOf(ctx, tx, table, ids); err != nil {
				return err
			}
		}
		return insertTexts(
			ctx, tx, slices.DeleteFunc(slices.Clone(rows), func(r database.TextRow) bool { return !there[r.LogID] }),
		)
	})
}

// lockLogs locks the log rows and returns which of them exist.
func lockLogs(ctx context.Context, t *database.Tx, ids []int64) (there map[int64]bool, err error) {
	there = map[int64]bool{}
	these, args := t.Dialect.Among("id", ids)
	err = t.Query(ctx, `SELECT id FROM xxl_job_log WHERE `+these+
		` ORDER BY id`+t.Dialect.Lock, args, func(r database.Row) error {
		var id int64
		err := r.Scan(&id)
		there[id] = true
		return err
	})
	return there, err
}

func insertTexts(ctx context.Context, t *database.Tx, rows []database.TextRow) error {
	if t.Dialect.InsertTexts != nil && len(rows) > 0 {
		query, args := t.Dialect.InsertTexts(rows)
		_, err := t.Exec(ctx, query, args...)
		return err
	}
	for _, r := range rows {
		if _, err := t.Exec(ctx, InsertText, r.Values()...); err != nil {
			return err
		}
	}
	return nil
}

// RunText implements [xxladapter.Store].
func (s *Store) RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error) {
	var (
		body  []byte
		found *xxladapter.RunText
	)
	err := s.db.Query(ctx, selectText, []any{logID}, func(r database.Row) error {
		found = &xxladapter.RunText{LogID: logID}
		var complete int
		err := r.Scan(&body, &found.Size, &complete, database.Text(&found.Note))
		found.Complete = complete != 0
		return err
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, xxladapter.NotFoundf(errorrule.NoText, "no log of run %d is stored", logID)
	}
	found.Text, err = decompress(body)
	if err != nil {
		return nil, fmt.Errorf("read stored text of run %d: %w", logID, err)
	}
	return found, nil
}

// compressors are reused: the tables of a new one take 768 KiB, and most texts are short.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // the level exists
	}
	return w
}}

// compress favours speed over size, because texts are written once and seldom read.
func compress(text string) ([]byte, error) {
	var b bytes.Buffer
	w := compressors.Get().(*gzip.Writer)
	defer compressors.Put(w)
	w.Reset(&b)
	if _, err := io.WriteString(w, text); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func decompress(body []byte) (string, error) {
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return string(text), err
}
