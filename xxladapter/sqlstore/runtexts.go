package sqlstore

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

const (
	wantText    = `INSERT INTO xxlwheel_log_fetch (log_id, attempts, due_ms) VALUES (?, 0, ?)`
	selectWant  = `SELECT log_id, attempts FROM xxlwheel_log_fetch WHERE due_ms <= ? ORDER BY due_ms, log_id LIMIT ?`
	retryWant   = `UPDATE xxlwheel_log_fetch SET attempts = ?, due_ms = ? WHERE log_id = ? AND attempts = ?`
	dropWant    = `DELETE FROM xxlwheel_log_fetch WHERE log_id = ?`
	dropText    = `DELETE FROM xxlwheel_log_text WHERE log_id = ?`
	insertText  = `INSERT INTO xxlwheel_log_text (log_id, body, size, complete, note) VALUES (?, ?, ?, ?, ?)`
	selectText  = `SELECT body, size, complete, note FROM xxlwheel_log_text WHERE log_id = ?`
	selectLogBy = `SELECT ` + logColumns + ` FROM xxl_job_log WHERE id = ?`
)

// ClaimTexts implements [xxladapter.Store].
func (s *Store) ClaimTexts(ctx context.Context, limit int, again func(attempts int) time.Duration) ([]xxladapter.TextClaim, error) {
	type want struct {
		id       int64
		attempts int
	}
	now := toMilli(s.clock())
	if found, err := s.finds(ctx, selectWant, now, 1); !found || err != nil {
		return nil, err
	}
	var claims []xxladapter.TextClaim
	err := s.write(ctx, func(ctx context.Context, tx *tx) error {
		claims = nil
		var due []want
		err := tx.query(ctx, selectWant+s.dialect.lockDue, []any{now, limit}, func(r row) error {
			var w want
			err := r.Scan(&w.id, &w.attempts)
			due = append(due, w)
			return err
		})
		if err != nil {
			return err
		}
		for _, w := range due {
			claim := xxladapter.TextClaim{Attempts: w.attempts + 1}
			err := tx.query(ctx, selectLogBy, []any{w.id}, func(r row) (err error) {
				claim.Log, err = scanLog(r)
				return err
			})
			if err != nil {
				return err
			}
			if claim.Log == nil { // deleted by another tool
				if _, err := tx.exec(ctx, dropWant, w.id); err != nil {
					return err
				}
				continue
			}
			next := now + again(claim.Attempts).Milliseconds()
			claimed, err := tx.exec(ctx, retryWant, claim.Attempts, next, w.id, w.attempts)
			if err != nil {
				return err
			}
			if claimed > 0 { // else another node was first
				claims = append(claims, claim)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// SaveText implements [xxladapter.Store].
func (s *Store) SaveText(ctx context.Context, t xxladapter.RunText) error {
	body, err := compress(t.Text)
	if err != nil {
		return err
	}
	complete := 0
	if t.Complete {
		complete = 1
	}
	return s.write(ctx, func(ctx context.Context, tx *tx) error {
		note := cut(t.Note, xxladapter.MaxTextNote)
		if s.dialect.saveText != "" {
			saved, err := tx.exec(ctx, s.dialect.saveText, t.LogID, body, t.Size, complete, note)
			if err == nil && saved == 0 {
				return noLog(t.LogID)
			}
			return err
		}
		// The row is locked, so that it does not go and leave its text behind.
		exists, err := tx.has(ctx, `SELECT 1 FROM xxl_job_log WHERE id = ?`+s.dialect.lock, t.LogID)
		if err != nil {
			return err
		}
		if !exists {
			return noLog(t.LogID)
		}
		for _, statement := range []string{dropWant, dropText} {
			if _, err := tx.exec(ctx, statement, t.LogID); err != nil {
				return err
			}
		}
		_, err = tx.exec(ctx, insertText, t.LogID, body, t.Size, complete, note)
		return err
	})
}

// RunText implements [xxladapter.Store].
func (s *Store) RunText(ctx context.Context, logID int64) (*xxladapter.RunText, error) {
	var (
		body  []byte
		found *xxladapter.RunText
	)
	err := s.query(ctx, selectText, []any{logID}, func(r row) error {
		found = &xxladapter.RunText{LogID: logID}
		var complete int
		err := r.Scan(&body, &found.Size, &complete, text(&found.Note))
		found.Complete = complete != 0
		return err
	})
	if err != nil {
		return nil, err
	}
	if found == nil {
		return nil, xxladapter.NotFoundf("no text of log %d is stored", logID)
	}
	found.Text, err = decompress(body)
	if err != nil {
		return nil, fmt.Errorf("read stored text of log %d: %w", logID, err)
	}
	return found, nil
}

// compressors are used again and again, since the tables of a new one are half a
// megabyte and most texts are short.
var compressors = sync.Pool{New: func() any {
	w, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
	if err != nil {
		panic(err) // there is such a level
	}
	return w
}}

// compress is for text that is written once and seldom read: fast before small.
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
