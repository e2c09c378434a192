package cron

import "strings"

// item parses one item of a list. In the lenient profile, text after a complete item is ignored up
// to the next comma, as upstream does.
func (p *parser) item(f *field, it, whole token) *ParseError {
	c := upper(p.expr[it.start])
	switch {
	case c == '*' || c == '/':
		return p.star(f, it)
	case digit(c):
		return p.number(f, it, whole)
	case c == '?':
		return p.question(f, it, whole)
	case letter(c):
		return p.word(f, it, whole)
	}
	err := p.fail(f.name, it, "has a character that cannot start an item")
	if c == '-' {
		err.Hint = "values are never negative"
	}
	return err
}

// star parses *, */n and /n.
func (p *parser) star(f *field, it token) *ParseError {
	i := it.start
	if p.expr[i] == '*' {
		i++
	}
	step := 1
	switch {
	case i == it.end:
	case p.expr[i] == '/':
		if p.profile.lenient() && i+2 < it.end && p.expr[i+1] == '-' && digit(p.expr[i+2]) {
			break // upstream treats a negative step as 1
		}
		var err *ParseError
		if step, i, err = p.step(f, it, i); err != nil {
			return err
		}
		if f.maxStep > 0 && step > f.maxStep {
			return p.fail(f.name, it, f.stepErr)
		}
		if step == 0 {
			step = 1 // lenient only
		}
		fallthrough
	default:
		if i < it.end && !p.profile.lenient() {
			return p.trailing(f, it, "*")
		}
	}
	p.stepped = true
	p.fill(f, f.min, f.max, step)
	return nil
}

// step parses the number after the slash at i. It returns 0 only in the lenient profile.
func (p *parser) step(f *field, it token, i int) (n, next int, err *ParseError) {
	if i+1 == it.end {
		return 0, 0, p.fail(f.name, it, "lacks the step after /")
	}
	if !digit(p.expr[i+1]) {
		return 0, 0, p.fail(f.name, it, "has a step that is not a number")
	}
	n, next = p.digits(i+1, it.end)
	if n == 0 && !p.profile.lenient() {
		return 0, 0, p.fail(f.name, it, "has a step of 0, must be at least 1")
	}
	return n, next, nil
}

// number parses a, a/n, a-b, a-b/n, aL, aW and a#k.
func (p *parser) number(f *field, it, whole token) *ParseError {
	a, i := p.digits(it.start, it.end)
	lenient := p.profile.lenient()
	if i == it.end {
		return p.value(f, a, it)
	}
	switch c := upper(p.expr[i]); {
	case c == '-':
		return p.numberRange(f, a, i, it)
	case c == '/':
		n, next, err := p.step(f, it, i)
		if err != nil {
			return err
		}
		switch {
		case f.maxStep > 0 && n > f.maxStep:
			return p.fail(f.name, it, f.stepErr)
		case a < f.min || a > f.max && !(lenient && f.kind == yearField):
			return p.fail(f.name, it, f.valueErr)
		case next < it.end && !lenient:
			return p.trailing(f, it, "a step")
		case n == 0:
			return p.value(f, a, it)
		}
		p.stepped = true
		p.fill(f, a, f.max, n)
		return nil
	case c == 'W' && f.kind == dateField && p.profile != Unix:
		switch {
		case a > 31 || a == 0 && !lenient:
			return p.fail(f.name, it, f.valueErr)
		case i+1 < it.end && !lenient:
			return p.trailing(f, it, "W")
		}
		p.nearest |= 1 << a
		return nil
	case c == 'L' && f.kind == weekField && p.profile != Unix:
		if a < f.min || a > f.max {
			return p.fail(f.name, it, f.valueErr)
		}
		return p.lastWeekday(f, a, i, it, whole)
	case c == '#' && f.kind == weekField && p.profile != Unix:
		if (a < f.min || a > f.max) && !lenient {
			return p.fail(f.name, it, f.valueErr)
		}
		return p.nthWeekday(f, a, i, it, whole)
	case c == 'L' || c == 'W' || c == '#':
		return p.wrongField(f, it, c)
	case c == 'C' && lenient && !f.days():
		return p.fail(f.name, it, "has a C, which only day fields may have")
	}
	if !lenient {
		return p.trailing(f, it, "a number")
	}
	return p.value(f, a, it)
}

// value adds a single value.
func (p *parser) value(f *field, a int, it token) *ParseError {
	if a >= f.min && a <= f.max {
		p.fill(f, a, a, 1)
		return nil
	}
	if p.profile.lenient() {
		// Upstream's internal codes for * and ? can be written in an expression.
		switch {
		case a == 99:
			p.stepped = true
			p.fill(f, f.min, f.max, 1)
			return nil
		case a == 98 && f.days():
			p.noSpec = true
			return nil
		case f.kind == yearField:
			p.addYears(a, a, 1)
			return nil
		}
	}
	return p.fail(f.name, it, f.valueErr)
}

// numberRange parses what follows a and the dash at i.
func (p *parser) numberRange(f *field, a, i int, it token) *ParseError {
	lenient := p.profile.lenient()
	i++
	switch {
	case i == it.end:
		return p.fail(f.name, it, "lacks the end of its range")
	case letter(p.expr[i]) && f.names != nil:
		return p.fail(f.name, it, "mixes a number and a name in a range")
	case !digit(p.expr[i]):
		return p.fail(f.name, it, "has a range whose end is not a number")
	}
	b, i := p.digits(i, it.end)
	step := 1
	if i < it.end && p.expr[i] == '/' {
		var err *ParseError
		if step, i, err = p.step(f, it, i); err != nil {
			return err
		}
		p.stepped = true
	}
	unchecked := lenient && f.kind == yearField
	switch {
	case !unchecked && (a < f.min || a > f.max || b < f.min || b > f.max):
		return p.fail(f.name, it, f.valueErr)
	case i < it.end && !lenient:
		return p.trailing(f, it, "a range")
	case b < a && (f.kind == yearField || p.profile == Unix):
		return p.descending(f, it)
	case step == 0:
		b, step = a, 1 // lenient only
	}
	if f.kind == yearField {
		p.addYears(a, b, step)
		return nil
	}
	p.fill(f, a, b, step)
	return nil
}

// word parses an item that starts with a letter: a name, a range of names, or L.
func (p *parser) word(f *field, it, whole token) *ParseError {
	lenient := p.profile.lenient()
	text := p.expr[it.start:it.end]
	if upper(text[0]) == 'L' {
		// In the weekday field the lenient profile ignores what follows L, as in L-3 and LW.
		alone := len(text) == 1 || lenient && (text[1] == '-' || len(text) == 2 && upper(text[1]) == 'W')
		switch {
		case p.profile == Unix:
			return p.wrongField(f, it, 'L')
		case f.kind == dateField:
			return p.lastDay(f, it)
		case f.kind == weekField && alone:
			if it != whole {
				return p.fail(f.name, whole, "has L in a list, which is not possible in this field")
			}
			p.fill(f, f.max, f.max, 1)
			return nil
		case f.kind == yearField && lenient && len(text) == 1:
			p.addYears(0, 0, 1) // upstream accepts it, and it never matches
			return nil
		case len(text) == 1:
			return p.wrongField(f, it, 'L')
		}
	}
	if f.names == nil {
		if f.kind == dateField && upper(text[0]) == 'W' {
			err := p.fail(f.name, it, "cannot start with W")
			err.Hint = "the day comes first: 15W"
			return err
		}
		return p.fail(f.name, it, "has no names")
	}
	a, err := p.name(f, it, it.start)
	if err != nil {
		return err
	}
	i := it.start + 3
	if i == it.end {
		p.fill(f, a, a, 1)
		return nil
	}
	switch c := upper(p.expr[i]); {
	case c == '-':
		return p.nameRange(f, a, i, it)
	case f.kind == weekField && p.profile != Unix && c == '#':
		return p.nthWeekday(f, a, i, it, whole)
	case f.kind == weekField && p.profile != Unix && c == 'L':
		return p.lastWeekday(f, a, i, it, whole)
	case c == '#' && !lenient:
		return p.wrongField(f, it, c)
	case lenient:
		p.fill(f, a, a, 1)
		return nil
	case letter(c):
		return p.fail(f.name, it, "has a name of more than three letters")
	}
	return p.trailingName(f, it, "a name")
}

// name parses the three letters at i.
func (p *parser) name(f *field, it token, i int) (int, *ParseError) {
	if i+3 > it.end || !letter(p.expr[i]) || !letter(p.expr[i+1]) || !letter(p.expr[i+2]) {
		return 0, p.fail(f.name, it, "has a name of fewer than three letters")
	}
	v, ok := f.name3(p.expr[i:it.end])
	if !ok {
		return 0, p.fail(f.name, it, "has an unknown name, must be one of "+strings.Join(f.names, " "))
	}
	return v, nil
}

// nameRange parses what follows the name a and the dash at i.
func (p *parser) nameRange(f *field, a, i int, it token) *ParseError {
	i++
	switch {
	case i == it.end:
		return p.fail(f.name, it, "lacks the end of its range")
	case digit(p.expr[i]):
		return p.fail(f.name, it, "mixes a name and a number in a range")
	}
	b, err := p.name(f, it, i)
	if err != nil {
		return err
	}
	switch {
	case i+3 < it.end && !p.profile.lenient():
		return p.trailingName(f, it, "a name range")
	case b < a && p.profile == Unix:
		return p.descending(f, it)
	}
	p.fill(f, a, b, 1)
	return nil
}

// trailing refuses text after a complete item.
func (p *parser) trailing(f *field, it token, what string) *ParseError {
	return p.fail(f.name, it, "has text after "+what)
}

// trailingName works like trailing, for names, which Quartz lets a step follow.
func (p *parser) trailingName(f *field, it token, what string) *ParseError {
	err := p.trailing(f, it, what)
	if strings.IndexByte(p.expr[it.start:it.end], '/') > 0 {
		err.Hint = "Quartz ignores a step after names; write numbers"
	}
	return err
}

func (p *parser) descending(f *field, it token) *ParseError {
	err := p.fail(f.name, it, "has a range that ends before it starts")
	if f.kind != yearField {
		err.Hint = "write two ranges"
	}
	return err
}

func (p *parser) wrongField(f *field, it token, c byte) *ParseError {
	switch {
	case p.profile == Unix:
		return p.fail(f.name, it, "has L, W or #, which only Quartz has")
	case c == 'W':
		return p.fail(f.name, it, "has W, which only the day of month may have")
	case c == '#':
		return p.fail(f.name, it, "has #, which only the day of week may have")
	case f.kind == dateField:
		return p.fail(f.name, it, "has L after a day, which only the day of week may have")
	}
	return p.fail(f.name, it, "has L, which only the day fields may have")
}

// fill adds a to b in steps. If b < a it wraps around the end of the field.
//
// REQUIRES: step >= 1.
func (p *parser) fill(f *field, a, b, step int) {
	if f.kind == yearField {
		if a == f.min && b == f.max && step == 1 {
			p.set = 1 // every year; see store
			return
		}
		p.addYears(a, b, step)
		return
	}
	if step == 1 && a <= b {
		p.set |= (2<<b - 1) &^ (1<<a - 1)
		return
	}
	length := f.max - f.min + 1
	if b < a {
		b += length
	}
	for v := a; v <= b; v += step {
		if v > f.max {
			p.set |= 1 << (v - length)
		} else {
			p.set |= 1 << v
		}
	}
}

// addYears adds the years a to b. Years outside the limits occur only in the lenient profile; a
// range of such years alone is replaced by the year 0, which stands for never.
func (p *parser) addYears(a, b, step int) {
	if a > maxYear || b < minYear {
		a, b, step = 0, 0, 1
	}
	if step > b-a {
		b, step = a, 1
	}
	p.years = append(p.years, yearRange{int32(a), int32(b), int32(step)})
}

// digits parses the number at i, which has at least one digit, and returns the position after it.
// Numbers above 1,000,000, which is beyond every limit, are returned as 1,000,000.
func (p *parser) digits(i, end int) (n, next int) {
	for ; i < end && digit(p.expr[i]); i++ {
		n = min(n*10+int(p.expr[i]-'0'), 1_000_000)
	}
	return n, i
}
