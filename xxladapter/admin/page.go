package admin

import (
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// An idPath names one thing by its id.
type idPath struct {
	ID int64 `path:"id"`
}

// created names what a call has created.
type created struct {
	ID int64 `json:"id"`
}

// A page says which part of a list is requested. The answer has the cursor of the next page in
// next, if there is one.
type page struct {
	After int64 `query:"after" doc:"The cursor from next of the previous page; omit it for the first page."`
	Limit int   `query:"limit" doc:"Maximum number of entries, at most 1000 (the default)."`
}

// maxPage is the largest number of entries in one answer.
const maxPage = 1000

// size returns the number of entries of the page.
func (p page) size() int {
	if p.Limit == 0 || p.Limit > maxPage {
		return maxPage
	}
	return p.Limit
}

// cutPage truncates a list that was read with one entry more than the page has. It returns the
// cursor of the next page, or 0 if there is none.
func cutPage[T any](list []T, limit int, id func(T) int64) ([]T, int64) {
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], id(list[limit-1])
}

// counted is the size of a list, if it was asked for.
type counted struct {
	Count *int `json:"count,omitempty" doc:"The number of entries on all pages, exact up to 10000."`
	More  bool `json:"more,omitempty" doc:"There are more entries than count."`
}

// maxCount is the largest exact count. Counting reads that many entries at most.
const maxCount = 10_000

// countTo returns a count of at most maxCount + 1.
func countTo(n int) counted {
	shown := min(n, maxCount)
	return counted{&shown, n > maxCount}
}

// maxSearch is the length of the longest text to search for, in characters. No column that lists
// search by parts is wider.
const maxSearch = 255

func checkSearch(param, text string) error {
	if n := utf8.RuneCountInString(text); n > maxSearch {
		return xxladapter.Invalidf("%s has %d characters, must have at most %d", param, n, maxSearch)
	}
	return nil
}
