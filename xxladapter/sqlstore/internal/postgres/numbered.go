package postgres

import (
	"strconv"
	"strings"
	"sync"
)

// numberedTexts caches the result for each query; there are few different ones.
var numberedTexts sync.Map // of string by string

// numbered replaces each ? outside of quotes by $1, $2 and so on.
func numbered(query string) string {
	if known, ok := numberedTexts.Load(query); ok {
		return known.(string)
	}
	var (
		b     strings.Builder
		count int
		quote rune // the open one, or 0
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
