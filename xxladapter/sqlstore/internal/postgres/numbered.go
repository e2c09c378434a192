package postgres

import (
	"strconv"
	"strings"
	"sync"
)

// numberedTexts has the result of each query, as there are few different ones.
var numberedTexts sync.Map // of string by string

// numbered is the query with $1, $2 and so on in the place of each ? that does
// not stand in quotes.
func numbered(query string) string {
	if known, ok := numberedTexts.Load(query); ok {
		return known.(string)
	}
	var (
		b     strings.Builder
		count int
		quote rune // the one that is open, or 0
	)
	for _, r := range query {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote = r
		case quote == 0 && r == '?':
			count++
			b.WriteByte('$')
			b.WriteString(strconv.Itoa(count))
			continue
		}
		b.WriteRune(r)
	}
	text, _ := numberedTexts.LoadOrStore(query, b.String())
	return text.(string)
}
