package alarm

import (
	"fmt"
	"html"
	"strings"
	"time"
	"unicode/utf8"
)

// A paragraph is a part of an unformatted alarm.
type paragraph struct {
	heading string
	facts   []fact
	quote   string // text of unknown origin, possibly several lines
}

type fact struct{ label, value string }

// paragraphs returns the contents of the alarm after its title.
func (a *Alarm) paragraphs() []paragraph {
	if a.Kind == Test {
		return []paragraph{{facts: []fact{
			{"", "This is a test. Alarms of failed runs look like this."}, {"scheduler", a.Source}, {"at", stamp(a.At)},
		}}}
	}
	var all []paragraph
	several := len(a.Jobs)+a.MoreJobs > 1
	for _, j := range a.Jobs {
		p := paragraph{}
		if several {
			p.heading = fmt.Sprintf("job %d %s", j.ID, oneLine(j.Name))
		}
		p.facts = append(p.facts, fact{"app", j.App}, fact{"author", j.Author})
		if j.InARow > 1 {
			p.facts = append(p.facts, fact{"failed in a row", fmt.Sprint(j.InARow)})
		}
		for i, run := range j.Runs {
			if i > 0 {
				all = append(all, p)
				p = paragraph{}
			}
			p.facts = append(p.facts, run.facts(a.Kind)...)
			p.quote = run.Reason
		}
		all = append(all, p)
	}
	var end paragraph
	switch {
	case a.MoreJobs > 0:
		end.facts = append(
			end.facts, fact{"", fmt.Sprintf("and %d more runs, also of %d other jobs", a.MoreRuns, a.MoreJobs)},
		)
	case a.MoreRuns > 0:
		end.facts = append(end.facts, fact{"", fmt.Sprintf("and %d more", a.MoreRuns)})
	}
	end.facts = append(end.facts, fact{"scheduler", a.Source})
	return append(all, end)
}

func (r *Run) facts(kind Kind) []fact {
	facts := []fact{
		{"run", fmt.Sprint(r.LogID)}, {"at", stamp(r.At)}, {"executor", r.Address}, {"handler", r.Handler},
		{"param", r.Param}, {"shard", r.Sharding},
	}
	if kind == Failed {
		facts = append(facts, fact{"code", fmt.Sprint(r.Code)})
	}
	if r.Retries > 0 {
		facts = append(facts, fact{"retries left", fmt.Sprint(r.Retries)})
	}
	return facts
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// A form writes the parts of an alarm in one markup language. The functions escape every text of
// unknown origin; labels are constants of this package.
type form struct {
	heading func(string) string
	fact    func(label, value string) string
	quote   func(string) string
	line    string // between two lines
	gap     string // between two paragraphs
}

// write formats the contents of the alarm, without its title.
func (f *form) write(a *Alarm) string {
	var parts []string
	for _, p := range a.paragraphs() {
		var lines []string
		if p.heading != "" {
			lines = append(lines, f.heading(p.heading))
		}
		for _, fact := range p.facts {
			if fact.value != "" {
				lines = append(lines, f.fact(fact.label, fact.value))
			}
		}
		if p.quote != "" {
			lines = append(lines, f.quote(p.quote))
		}
		if len(lines) > 0 {
			parts = append(parts, strings.Join(lines, f.line))
		}
	}
	return strings.Join(parts, f.gap)
}

var plainForm = form{
	heading: func(text string) string { return "== " + text },
	fact: func(label, value string) string {
		if label == "" {
			return oneLine(value)
		}
		return label + ": " + oneLine(value)
	},
	quote: func(text string) string { return "    " + strings.ReplaceAll(text, "\n", "\n    ") },
	line:  "\n",
	gap:   "\n\n",
}

var htmlForm = form{
	heading: func(text string) string { return "<b>" + html.EscapeString(text) + "</b>" },
	fact: func(label, value string) string {
		if label == "" {
			return html.EscapeString(value)
		}
		return html.EscapeString(label) + ": " + html.EscapeString(value)
	},
	quote: func(text string) string { return "<pre>" + html.EscapeString(text) + "</pre>" },
	line:  "<br>\n",
	gap:   "<br>\n<br>\n",
}

// markdown returns the form for robots that read Markdown; escape makes the inserted texts
// harmless.
func markdown(escape func(string) string) *form {
	return &form{
		heading: func(text string) string { return "**" + escape(oneLine(text)) + "**" },
		fact: func(label, value string) string {
			value = escape(oneLine(value))
			if label == "" {
				return value
			}
			return "- " + label + ": " + value
		},
		quote: func(text string) string {
			return "> " + strings.ReplaceAll(escape(text), "\n", "\n> ")
		},
		line: "\n",
		gap:  "\n\n",
	}
}

// markup escapes the characters that have a meaning in Markdown.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `~`, `\~`, `!`, `\!`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`,
)

// printable returns text without control characters, except line feeds and tabs, and without white
// space at its ends.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text))
}

// cutText truncates text to limit bytes, without splitting a character.
func cutText(text string, limit int) string {
	const rest = " …"
	if len(text) <= limit {
		return text
	}
	end := max(limit-len(rest), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + rest
}

// cutJSON truncates text, without splitting a character, so that it has at most limit bytes in JSON
// if a line feed costs line bytes.
func cutJSON(text string, limit, line int) string {
	const rest = " …"
	size, end := 0, 0 // end is how much of text leaves room for rest
	for at, r := range text {
		if size <= limit-len(rest) {
			end = at
		}
		switch {
		case r == '\n':
			size += line
		case r == '"', r == '\\', r == '\t':
			size += 2
		case r < ' ', strings.ContainsRune("<>&\u2028\u2029\uFFFD", r): // for example \u003c
			size += 6
		default:
			size += utf8.RuneLen(r)
		}
		if size > limit {
			return text[:end] + rest
		}
	}
	return text
}
