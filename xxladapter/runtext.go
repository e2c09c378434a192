package xxladapter

import (
	"context"
	"time"
)

// A RunText is the log of a run, fetched from its executor after the run has ended.
type RunText struct {
	LogID    int64
	Text     string // lines, each with its line end
	Size     int64  // bytes that the executor had; above len(Text) if some were left out
	Complete bool   // Text has all lines of the executor; Note is then empty
	Note     string // explains to people why the text is incomplete; at most 1000 characters
}

// MaxTextNote is the length of the longest [RunText.Note] in characters.
const MaxTextNote = 1000

// A TextClaim is an ended run whose text is to be fetched.
type TextClaim struct {
	Log      *Log
	Attempts int // including this one
}

// TextDelay is the time from a result until the run's text may be fetched: executors write the last
// lines when the result has been accepted.
const TextDelay = 2 * time.Second

// A RunTextStore is the part of [Store] that keeps the texts of runs.
type RunTextStore interface {
	// ClaimTexts returns up to limit runs that were finished with [RunResult.WantText] and whose
	// text is missing, longest waiting first. Each is offered again after the time again(attempts),
	// unless its text is saved by then.
	ClaimTexts(ctx context.Context, limit int, again func(attempts int) time.Duration) ([]TextClaim, error)
	// SaveTexts stores texts of different runs, all or none, in place of earlier ones; the runs are
	// not offered again. Texts whose log row is gone are left out, and notes are truncated to
	// [MaxTextNote]. The latest texts and claims may be lost when the database crashes; their runs
	// are then offered again.
	SaveTexts(ctx context.Context, texts []RunText) error
	// RunText returns the stored text of a run. The error is [ErrNotFound] if there is none.
	RunText(ctx context.Context, logID int64) (*RunText, error)
}

// A TextPolicy selects the runs whose texts are fetched and stored.
type TextPolicy string

const (
	TextsOff      TextPolicy = "off"
	TextsFailures TextPolicy = "failures" // of runs that did not succeed
	TextsAll      TextPolicy = "all"      // costs two calls to the executor for each run
)

// Values lists all policies.
func (TextPolicy) Values() []TextPolicy { return []TextPolicy{TextsOff, TextsFailures, TextsAll} }

// Validate refuses a policy that does not exist; the empty one means [TextsFailures].
func (p TextPolicy) Validate() error { return checkOneOfOrEmpty("texts", p) }

// Wants reports whether the text of a run that ended with code is stored. The zero value is
// [TextsFailures].
func (p TextPolicy) Wants(code int) bool {
	switch p {
	case TextsAll:
		return true
	case TextsOff:
		return false
	}
	return code != ResultOK
}
