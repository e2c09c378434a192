package alarm

import (
	"fmt"
	"html"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"
)

// A paragraph is a part of an alarm before it has a form.
type paragraph struct {
	heading string
	facts   []fact
	quote   string // text of unknown origin, several lines maybe
}

type fact struct{ label, value string }

// paragraphs are the contents of the alarm after its title.
func (a *Alarm) paragraphs() []paragraph {
	if a.Kind == Test {
		return []paragraph{{facts: []fact{
			{"", "This is a test. Alarms of failed runs will look like it."}, {"scheduler", a.Source}, {"at", stamp(a.At)},
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
		end.facts = append(end.facts, fact{"", fmt.Sprintf("and %d more runs, also of %d other jobs", a.MoreRuns, a.MoreJobs)})
	case a.MoreRuns > 0:
		end.facts = append(end.facts, fact{"", fmt.Sprintf("and %d more", a.MoreRuns)})
	}
	end.facts = append(end.facts, fact{"scheduler", a.Source})
	return append(all, end)
}

func (r *Run) facts(kind Kind) []fact {
	facts := []fact{
		{"log", fmt.Sprint(r.LogID)}, {"at", stamp(r.At)}, {"executor", r.Address}, {"handler", r.Handler},
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

// A form writes the parts of an alarm in one markup. Every function escapes
// what it is given.
type form struct {
	heading func(string) string
	fact    func(label, value string) string
	quote   func(string) string
	line    string // between two lines
	gap     string // between two paragraphs
}

// write puts the contents of the alarm, without its title, into a form.
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

// markdown is the form for robots that read Markdown, whose texts escape makes
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

// markup are the characters that mean something in Markdown.
var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `[`, `\[`, `]`, `\]`, `#`, `\#`, `~`, `\~`, `!`, `\!`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`,
)

var (
	lineBreak = regexp.MustCompile(`(?i)<br\s*/?>`)
	// Only what the schedulers write themselves: a stack trace has <init> in it.
	knownTag = regexp.MustCompile(`(?i)</?(span|font|div|p|b|pre)(\s[^<>]*)?>`)
)

// fromHTML is the text of a message column, which upstream shows as HTML.
func fromHTML(text string) string {
	text = lineBreak.ReplaceAllString(text, "\n")
	text = html.UnescapeString(knownTag.ReplaceAllString(text, ""))
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, text))
}

// cutText keeps the beginning of text, in whole characters, within most bytes.
func cutText(text string, most int) string {
	const rest = " …"
	if len(text) <= most {
		return text
	}
	end := max(most-len(rest), 0)
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + rest
}
