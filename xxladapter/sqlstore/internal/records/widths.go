package records

import (
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Widths are how many characters columns have room for in the release of XXL-JOB
// whose tables these are; 0: as many as the newest one, or more. A server in
// strict mode would refuse the statement instead, without a word for users.
type Widths struct {
	Param    int // of a job, 512 before 3.4.0
	Title    int // of a group, 12 before 3.4.0
	LogParam int // of a log row, 512 before 3.4.0
}

func (w Widths) checkJob(j *xxladapter.Job) error {
	return checkWidth("executorParam", j.Param, w.Param)
}

func (w Widths) checkGroup(g *xxladapter.Group) error {
	return checkWidth("title", w.titleOf(g), w.Title)
}

// titleOf is the title to store. One that only repeats the app name was made from
// it, and is truncated where the column is too narrow for it.
func (w Widths) titleOf(g *xxladapter.Group) string {
	if title := []rune(g.Title); g.Title == g.AppName && w.Title > 0 && len(title) > w.Title {
		return string(title[:w.Title])
	}
	return g.Title
}

func checkWidth(field, text string, most int) error {
	if n := utf8.RuneCountInString(text); most > 0 && n > most {
		return xxladapter.Invalidf("%s has %d characters, must have at most %d in tables of this release of XXL-JOB", field, n, most)
	}
	return nil
}
