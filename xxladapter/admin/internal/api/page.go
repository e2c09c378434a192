package api

import (
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// An IDPath names one thing by its id.
type IDPath struct {
	ID int64 `path:"id"`
}

// Created names what a call has created.
type Created struct {
	ID int64 `json:"id"`
}

// A Page says which part of a list is requested. The answer has the cursor of the next page in
// next, if there is one.
type Page struct {
	After int64 `query:"after" doc:"The cursor from next of the previous page; omit it for the first page."`
	Limit int   `query:"limit" doc:"Maximum number of entries, at most 1000 (the default)."`
}

// MaxPage is the largest number of entries in one answer.
const MaxPage = 1000

// Size returns the number of entries of the page.
func (p Page) Size() int {
	if p.Limit == 0 || p.Limit > MaxPage {
		return MaxPage
	}
	return p.Limit
}

// CutPage truncates a list that was read with one entry more than the page has. It returns the
// cursor of the next page, or 0 if there is none.
func CutPage[T any](list []T, limit int, id func(T) int64) ([]T, int64) {
	if len(list) <= limit {
		return list, 0
	}
	return list[:limit], id(list[limit-1])
}

// Counted is the size of a list, if it was asked for.
type Counted struct {
	Count *int `json:"count,omitempty" doc:"The number of entries on all pages, exact up to 10000."`
	More  bool `json:"more,omitempty" doc:"There are more entries than count."`
}

// MaxCount is the largest exact count. Counting reads that many entries at most.
const MaxCount = 10_000

// CountTo returns what a list says of n entries, of which at most MaxCount + 1 were counted.
func CountTo(n int) Counted {
	shown := min(n, MaxCount)
	return Counted{&shown, n > MaxCount}
}

// maxSearch is the length of the longest text to search for, in characters. The columns that lists
// search are no wider, except those with the messages of runs.
const maxSearch = 255

// CheckSearch refuses a text to search for that is too long.
func CheckSearch(param, text string) error {
	if n := utf8.RuneCountInString(text); n > maxSearch {
		return xxladapter.Invalidf(errorrule.CharactersAtMost, "%s has %d characters, must have at most %d",
			param, n, maxSearch)
	}
	return nil
}
