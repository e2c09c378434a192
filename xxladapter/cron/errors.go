package cron

import (
	"strconv"
	"strings"
)

// A ParseError says which part of an expression breaks which rule. Every error of Parse is a
// *ParseError.
type ParseError struct {
	// Field names the field: "second", "minute", "hour", "day of month", "month", "day of week" or
	// "year", or "expression" if the text as a whole is at fault, for instance because fields are
	// missing.
	Field string

	// Column is the position of Text in the expression in bytes, counted from 1.
	Column int

	// Text is the refused part, truncated to 40 bytes. It may be empty, as in the list "1,,3".
	Text string

	// Rule is the rule that Text breaks, to be read after Field and Text: "must be 0 to 59".
	Rule string

	// Hint is a correction, if there is an obvious one, and otherwise empty.
	Hint string
}

// Error returns field, text, column, rule and hint in one line.
func (e *ParseError) Error() string {
	var b strings.Builder
	b.WriteString("cron: ")
	b.WriteString(e.Field)
	b.WriteByte(' ')
	b.WriteString(strconv.Quote(e.Text))
	b.WriteString(" at column ")
	b.WriteString(strconv.Itoa(e.Column))
	b.WriteByte(' ')
	b.WriteString(e.Rule)
	if e.Hint != "" {
		b.WriteString("; ")
		b.WriteString(e.Hint)
	}
	return b.String()
}

// A PlanError says which rule a schedule type or its configuration breaks. For a CRON expression
// the error is a [ParseError] instead.
type PlanError struct {
	// Field is what is refused: "period", "instant" or "schedule type".
	Field string

	// Type is the schedule type; empty if that itself is refused.
	Type string

	// Text is the refused value, truncated to 40 bytes.
	Text string

	// Rule is the rule that Text breaks, to be read after Field and Text.
	Rule string
}

// Error returns field, type, text and rule in one line.
func (e *PlanError) Error() string {
	what := e.Field
	if e.Type != "" {
		what += " of " + e.Type
	}
	return "cron: " + what + " is " + strconv.Quote(e.Text) + ", " + e.Rule
}

// maxErrorText limits how much of a hostile expression an error repeats, in bytes.
const maxErrorText = 40

func cut(s string) string {
	if len(s) > maxErrorText {
		return s[:maxErrorText]
	}
	return s
}
