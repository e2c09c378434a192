package cron

// wrongCount refuses an expression with too few or too many fields.
func (p *parser) wrongCount(where *[8]token, n int) *ParseError {
	rule, limit := "must have 6 or 7 fields, second to day of week and perhaps year, but has ", 7
	if p.profile == Unix {
		rule, limit = "must have 5 fields, minute to day of week, but has ", 5
	}
	at := token{0, len(p.expr)}
	if n > limit {
		at = token{where[limit].start, len(p.expr)}
	}
	err := p.fail("expression", at, rule+itoa(n))
	switch {
	case n > 0 && p.expr[where[0].start] == '@':
		err.Hint = "names such as @daily are not part of this dialect"
	case p.profile == Unix && n > 5:
		err.Hint = "six fields, with seconds, are Quartz's; parse them without the Unix option"
	case p.profile != Unix && n == 5:
		err.Hint = "five fields are Unix cron, where Sunday is 0: parse them with the Unix option"
		if s, e := Parse(p.expr, Unix); e == nil && !s.either {
			s.profile = Quartz
			err.Hint += ", or write " + s.String()
		}
	}
	return err
}

// bothDaysHint suggests which day field to replace.
func (p *parser) bothDaysHint(where *[8]token) string {
	dom, dow := p.expr[where[3].start:where[3].end], p.expr[where[5].start:where[5].end]
	switch {
	case dow == "*":
		return "write ? as day of week"
	case dom == "*":
		return "write ? as day of month"
	}
	return "to fire on either, use two jobs"
}
