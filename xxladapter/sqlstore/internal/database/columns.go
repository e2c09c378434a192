package database

import (
	"database/sql"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// The forms that domain values take in columns. A value that cannot be read, because another tool
// wrote it, becomes the zero value instead of an error: one broken row must not stop the others.

// ToMilli returns Unix milliseconds, and 0 for the zero time, as upstream does.
func ToMilli(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// FromMilli returns the time of Unix milliseconds, and the zero time for 0.
func FromMilli(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// DatetimeText returns the argument for a datetime column that takes texts, in the zone of the
// column, and NULL for the zero time. An instant outside of the years 1000 to 9999 becomes the
// nearest second within them: MySQL has no others, and only texts of equal length sort by time.
func DatetimeText(t time.Time, zone *time.Location) any {
	if t.IsZero() {
		return nil
	}
	t = t.In(zone)
	switch year := t.Year(); {
	case year < 1000:
		return "1000-01-01 00:00:00"
	case year > 9999:
		return "9999-12-31 23:59:59"
	}
	return t.Format(time.DateTime)
}

// TextOf returns the text of a column's value, which some drivers return as bytes. NULL is the
// empty text.
func TextOf(value any) string {
	switch value := value.(type) {
	case string:
		return value
	case []byte:
		return string(value)
	}
	return ""
}

// A datetime reads a datetime column into a time; NULL is the zero time.
type datetime struct{ to *time.Time }

func (d datetime) Scan(value any) error {
	*d.to = time.Time{}
	switch value := value.(type) {
	case time.Time:
		if !value.IsZero() {
			*d.to = value.UTC()
		}
	case string:
		if t, err := time.ParseInLocation(time.DateTime, value, time.UTC); err == nil {
			*d.to = t
		}
	}
	return nil
}

// A milli reads a column of Unix milliseconds into a time; 0 and NULL are the zero time.
type milli struct{ to *time.Time }

func (m milli) Scan(value any) error {
	ms, _ := value.(int64)
	*m.to = FromMilli(ms)
	return nil
}

// An addressList reads a comma-separated column; NULL is an empty list.
type addressList struct{ to *[]string }

func (a addressList) Scan(value any) error {
	*a.to = nil
	for addr := range strings.SplitSeq(TextOf(value), ",") {
		if addr = strings.TrimSpace(addr); addr != "" {
			*a.to = append(*a.to, addr)
		}
	}
	return nil
}

// FitAddresses drops the last addresses of a list that does not fit into a column of MaxRowText
// bytes. A group of two thousand executors fits.
func FitAddresses(addresses []string) []string {
	size := -1
	for i, addr := range addresses {
		if size += 1 + len(addr); size > xxladapter.MaxRowText {
			return addresses[:i]
		}
	}
	return addresses
}

// JoinAddresses returns NULL for an empty list: upstream writes NULL, never an empty text.
func JoinAddresses(addresses []string) any { return OrNull(strings.Join(addresses, ",")) }

// An idList reads a comma-separated column of ids and skips everything else.
type idList struct{ to *[]int64 }

func (l idList) Scan(value any) error {
	*l.to = nil
	text := TextOf(value)
	if text == "" {
		return nil // most columns are empty, and an error of strconv is an allocation
	}
	for item := range strings.SplitSeq(text, ",") {
		if id, err := strconv.ParseInt(strings.TrimSpace(item), 10, 64); err == nil {
			*l.to = append(*l.to, id)
		}
	}
	return nil
}

// JoinIDs returns the ids separated by commas.
func JoinIDs(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return b.String()
}

// A nullable reads a text column into a string type; NULL is the empty text.
type nullable[T ~string] struct{ to *T }

func (n nullable[T]) Scan(value any) error {
	*n.to = T(TextOf(value))
	return nil
}

// Text returns the scanner of a text column that may be NULL.
func Text[T ~string](to *T) nullable[T] { return nullable[T]{to} }

// OrNull returns the text, or NULL for an empty one.
func OrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// An integer reads a nullable column; NULL is 0.
type integer struct{ to *int64 }

func (i integer) Scan(value any) error {
	*i.to, _ = value.(int64)
	return nil
}

// A small reads a column into an int; database/sql would convert the number to text and parse that.
type small struct{ to *int }

func (s small) Scan(value any) error {
	n, _ := value.(int64)
	*s.to = int(n)
	return nil
}

// Datetime returns the scanner of a datetime column.
func Datetime(to *time.Time) sql.Scanner { return datetime{to} }

// Milli returns the scanner of a column of Unix milliseconds.
func Milli(to *time.Time) sql.Scanner { return milli{to} }

// AddressList returns the scanner of a column of addresses.
func AddressList(to *[]string) sql.Scanner { return addressList{to} }

// IDList returns the scanner of a column of ids.
func IDList(to *[]int64) sql.Scanner { return idList{to} }

// Integer returns the scanner of an integer column that may be NULL.
func Integer(to *int64) sql.Scanner { return integer{to} }

// Small returns the scanner of an integer column that fits an int.
func Small(to *int) sql.Scanner { return small{to} }

// CeilMilli rounds t up to a whole millisecond, and returns that in Unix milliseconds.
func CeilMilli(t time.Time) int64 { return t.Add(time.Millisecond - time.Nanosecond).UnixMilli() }

// MilliOrNull returns Unix milliseconds, or NULL for the zero time.
func MilliOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// IDOrNull returns the id, or NULL for 0.
func IDOrNull(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}

// Bit returns 1 if set, otherwise 0.
func Bit(set bool) int {
	if set {
		return 1
	}
	return 0
}
