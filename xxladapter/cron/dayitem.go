package cron

import "strings"

// This file parses what only the two day fields have: ?, L, LW and #. The method number parses nW.

// question parses ?.
func (p *parser) question(f *field, it, whole token) *ParseError {
	switch {
	case p.profile == Unix:
		err := p.fail(f.name, it, "must not be ?, which only Quartz has")
		err.Hint = "write *"
		return err
	case !f.days():
		err := p.fail(f.name, it, "must not be ?, which only day of month and day of week may be")
		err.Hint = "write *"
		return err
	case it.start+1 < it.end && (p.expr[it.start+1] == '/' || !p.profile.lenient()):
		return p.fail(f.name, it, "has text after ?")
	case it != whole && !p.profile.lenient():
		return p.fail(f.name, whole, "has ? in a list; it must stand alone")
	}
	p.noSpec = true
	return nil
}

// lastDay parses L, L-n, LW and L-nW in the day of month.
func (p *parser) lastDay(f *field, it token) *ParseError {
	i := it.start + 1
	n := 0
	if i < it.end && p.expr[i] == '-' {
		if i++; i == it.end || !digit(p.expr[i]) {
			return p.fail(f.name, it, "lacks the number of days after L-")
		}
		if n, i = p.digits(i, it.end); n > 30 {
			return p.fail(f.name, it, "has an offset from the last day above 30")
		}
	}
	set := &p.last
	if i < it.end && upper(p.expr[i]) == 'W' {
		set = &p.lastNearest
		i++
	}
	if i < it.end {
		return p.fail(f.name, it, "is not one of L, L-n, LW and L-nW")
	}
	*set |= 1 << n
	return nil
}

// lastWeekday parses the L at i, after the weekday a.
func (p *parser) lastWeekday(f *field, a, i int, it, whole token) *ParseError {
	switch {
	case it != whole:
		return p.fail(f.name, whole, "has L in a list, which is not possible in this field")
	case i+1 < it.end && !p.profile.lenient():
		return p.trailing(f, it, "L")
	}
	p.fill(f, a, a, 1)
	p.nth = lastOfMonth
	return nil
}

// nthWeekday parses the # at i, after the weekday a.
func (p *parser) nthWeekday(f *field, a, i int, it, whole token) *ParseError {
	list := it != whole
	if p.nth != 0 || list && strings.Count(p.expr[whole.start:whole.end], "#") > 1 {
		return p.fail(f.name, whole, "has # twice, which is not possible")
	}
	k, next := 0, i+1
	if next < it.end && digit(p.expr[next]) {
		k, next = p.digits(next, it.end)
	}
	switch {
	case k < 1 || k > 5:
		return p.fail(f.name, it, "must have 1 to 5 after #")
	case p.profile.lenient():
	case next < it.end:
		return p.trailing(f, it, "#k")
	case list:
		return p.fail(f.name, whole, "has # in a list, which is not possible")
	}
	p.nth, p.nthDay = uint8(k), a
	return nil
}
