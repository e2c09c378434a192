package database

import (
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Widths are the widths of columns, in characters, in the release of XXL-JOB whose tables these
// are; 0 means as wide as in the newest release, or wider. A server in strict mode would refuse a
// longer value without a message for users.
type Widths struct {
	Param    int // of a job, 512 before 3.4.0
	Title    int // of a group, 12 before 3.4.0
	LogParam int // of a log row, 512 before 3.4.0
}

// CheckJob returns an error if a text of the job does not fit.
func (w Widths) CheckJob(j *xxladapter.Job) error {
	return checkWidth("executorParam", j.Param, w.Param)
}

// CheckOverride works like [xxladapter.CheckOverride], and also returns an error if the column of
// this release is too narrow.
func (w Widths) CheckOverride(param *string) error {
	if param == nil {
		return nil
	}
	if err := xxladapter.CheckOverride(param); err != nil {
		return err
	}
	return checkWidth("executorParam", *param, w.LogParam)
}

// CheckGroup returns an error if a text of the group does not fit.
func (w Widths) CheckGroup(g *xxladapter.Group) error {
	return checkWidth("title", w.TitleOf(g), w.Title)
}

// TitleOf returns the title to store. A title that only repeats the app name was made from it, and
// is truncated where the column is too narrow.
func (w Widths) TitleOf(g *xxladapter.Group) string {
	if title := []rune(g.Title); g.Title == g.AppName && w.Title > 0 && len(title) > w.Title {
		return string(title[:w.Title])
	}
	return g.Title
}

func checkWidth(field, text string, limit int) error {
	if n := utf8.RuneCountInString(text); limit > 0 && n > limit {
		return xxladapter.Invalidf(errorrule.CharactersAtMost,
			"%s has %d characters, must have at most %d in tables of this release of XXL-JOB",
			field, n, limit)
	}
	return nil
}
