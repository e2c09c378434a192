package xxladapter

import (
	"context"
	"time"
)

// A RunText is what a run wrote into its log, fetched from its executor after
// the run had ended.
type RunText struct {
	LogID    int64
	Text     string // lines, each with its line end
	Size     int64  // bytes that the executor had; more than len(Text) if some were left out
	Complete bool
	Note     string // for people, why it is not complete; at most 1000 characters
}

// MaxTextNote is the longest [RunText.Note], in characters.
const MaxTextNote = 1000

// A TextClaim is an ended run whose text is to be fetched.
type TextClaim struct {
	Log      *Log
	Attempts int // this one included
}

// TextDelay is how long after its result a run's text may be fetched: executors
// write the last lines when the result has been taken.
const TextDelay = 2 * time.Second

// A RunTextStore is the part of [Store] that keeps the texts of runs.
type RunTextStore interface {
	// ClaimTexts takes up to limit runs that were finished with
	// [RunResult.WantText] and whose text is still missing, those first that have
	// waited longest. Each of them is offered again after again(attempts), unless
	// its text is saved by then.
	ClaimTexts(ctx context.Context, limit int, again func(attempts int) time.Duration) ([]TextClaim, error)
	// SaveTexts stores texts of different runs, all or none, in place of earlier
	// ones; the runs are not offered again. Those whose log row is gone are left
	// out. A crash of the database may take back the latest texts, and their runs
	// are offered again; the same is true of claims.
	SaveTexts(ctx context.Context, texts []RunText) error
	// RunText returns the stored text of a run. [ErrNotFound] if there is none.
	RunText(ctx context.Context, logID int64) (*RunText, error)
}

// A TextPolicy says of which runs the texts are fetched and stored.
type TextPolicy string

const (
	TextsOff      TextPolicy = "off"
	TextsFailures TextPolicy = "failures" // of those that did not end well
	TextsAll      TextPolicy = "all"      // two calls to the executor for each run
)

// Values lists all policies.
func (TextPolicy) Values() []TextPolicy { return []TextPolicy{TextsOff, TextsFailures, TextsAll} }

// Wants says whether the text of a run that ended with a code is stored. The
// zero value is [TextsFailures].
func (p TextPolicy) Wants(code int) bool {
	switch p {
	case TextsAll:
		return true
	case TextsOff:
		return false
	}
	return code != ResultOK
}
