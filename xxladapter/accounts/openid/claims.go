package openid

import (
	"cmp"
	"slices"
	"strings"
)

// claims are what a provider says about a user, by name.
type claims map[string]any

// values returns the texts of a claim; known is false if there is no such claim. A name with dots
// is a path into nested objects, unless a claim has that very name.
func (c claims) values(name string) (list []string, known bool) {
	value, known := c[name]
	if !known {
		outer, inner, nested := strings.Cut(name, ".")
		if object, is := c[outer].(map[string]any); nested && is {
			return claims(object).values(inner)
		}
		return nil, false
	}
	switch value := value.(type) {
	case string:
		return []string{value}, true
	case []any:
		for _, v := range value {
			if text, is := v.(string); is {
				list = append(list, text)
			}
		}
	}
	return list, true
}

// text returns a claim that is a text; otherwise it is empty.
func (c claims) text(name string) string {
	text, _ := c[name].(string)
	return text
}

// userName returns the name that the user has at the provider.
func (c claims) userName() string {
	return cmp.Or(c.text("preferred_username"), c.text("email"), c.text("sub"))
}

// rolesOf returns the rules that match the values.
func rolesOf(rules []Rule, values []string) (matching []Rule) {
	for _, r := range rules {
		if slices.Contains(values, r.Value) {
			matching = append(matching, r)
		}
	}
	return matching
}
