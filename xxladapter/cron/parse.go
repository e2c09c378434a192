package cron

import (
	"math/bits"
	"strconv"
)

const (
	// maxLength is the longest expression in bytes. Upstream's column holds 128 characters. The
	// normal form of an expression within the limit is within it as well.
	maxLength = 2048

	// maxYears limits the items of the year field, because the search checks each of them for each
	// year.
	maxYears = 64
)

// A parser is the state of one call of Parse. The fields from set on belong to the field that is
// being parsed.
type parser struct {
	config
	expr string
	out  *Schedule

	set         uint64 // values, one bit each; not for years
	nearest     uint32
	last        uint32
	lastNearest uint32
	years       []yearRange
	nth         uint8 // as in Schedule
	nthDay      int   // the day given with #
	noSpec      bool  // ?
	stepped     bool  // the field has * or a step
	items       int
}

// Parse parses an expression of six or seven fields: second, minute, hour, day of month, month, day
// of week and, optionally, year. The package documentation has the grammar. Fields are separated by
// blanks or tabs, and case does not matter. Expressions of more than 2048 bytes are refused.
//
// The default profile is Quartz; the others are options. A nil option is ignored. An expression
// that can never fire, such as one for 30 February, is not an error: its Next returns the zero
// time.
//
// The error is a *ParseError, which names field, column and rule. The rules are those of
// cron_invalid.csv in testdata, recorded from XXL-JOB's parsers.
func Parse(expr string, opts ...Option) (*Schedule, error) {
	var c config
	for _, o := range opts {
		if o != nil {
			c = o.apply(c)
		}
	}
	p := parser{config: c, expr: expr, out: &Schedule{profile: c.profile}}
	if err := p.parse(); err != nil {
		return nil, err
	}
	return p.out, nil
}

func (p *parser) parse() error {
	if len(p.expr) > maxLength {
		return &ParseError{Field: "expression", Column: maxLength + 1, Text: cut(p.expr[maxLength:]),
			Rule: "continues after " + itoa(maxLength) + " bytes, the longest allowed"}
	}
	var where [8]token
	n := split(p.expr, &where)
	if p.profile == Unix {
		return p.parseUnix(&where, n)
	}
	if n < 6 || n > 7 {
		return p.wrongCount(&where, n)
	}
	for i := range n {
		if err := p.field(quartzFields[i], where[i]); err != nil {
			return err
		}
		p.store(i)
	}
	s := p.out
	switch {
	case !s.byDate && !s.byWeek:
		return p.fail("day of week", where[5], "and day of month are both ?, but one of them must say which days")
	case s.byDate && s.byWeek:
		err := p.fail("day of week", where[5], "and day of month are both given, but one of them must be ?")
		err.Hint = p.bothDaysHint(&where)
		return err
	}
	s.finish()
	return nil
}

func (p *parser) parseUnix(where *[8]token, n int) error {
	if n != 5 {
		return p.wrongCount(where, n)
	}
	p.out.second = 1
	for i, f := range unixFields {
		if err := p.field(f, where[i]); err != nil {
			return err
		}
		p.store(i + 1)
	}
	s := p.out
	s.byDate = s.days != allDays
	s.byWeek = s.weekdays != fullWeek
	s.either = s.byDate && s.byWeek
	if !s.byDate && !s.byWeek {
		s.byDate = true
	}
	s.finish()
	return nil
}

// A token is the part of the expression from start up to but not including end.
type token struct{ start, end int }

// split finds the fields and returns how many there are. It stores the first eight in where.
func split(expr string, where *[8]token) int {
	n := 0
	for i := 0; i < len(expr); {
		if blank(expr[i]) {
			i++
			continue
		}
		start := i
		for i < len(expr) && !blank(expr[i]) {
			i++
		}
		if n < len(where) {
			where[n] = token{start, i}
		}
		n++
	}
	return n
}

// field parses one field into p.
func (p *parser) field(f *field, where token) *ParseError {
	p.set, p.nearest, p.last, p.lastNearest = 0, 0, 0, 0
	p.nth, p.nthDay, p.noSpec, p.stepped, p.items = 0, 0, false, false, 0

	for at := where.start; at <= where.end; {
		end := at
		for end < where.end && p.expr[end] != ',' {
			end++
		}
		if at == end {
			if !p.profile.lenient() {
				return p.fail(f.name, token{at, at}, "has an empty list item")
			}
		} else {
			if err := p.item(f, token{at, end}, where); err != nil {
				return err
			}
			if len(p.years) > maxYears {
				return p.fail(f.name, where, "has more than "+itoa(maxYears)+" items")
			}
			p.items++
		}
		at = end + 1
	}
	if p.items == 0 {
		return p.fail(f.name, where, "has only empty list items")
	}
	return nil
}

// store moves the field that was just parsed into the schedule; i is its index among Quartz's
// fields.
func (p *parser) store(i int) {
	s := p.out
	switch i {
	case 0:
		s.second = p.set
	case 1:
		s.minute = p.set
	case 2:
		s.hour, s.hourSteps = uint32(p.set), p.stepped
	case 3:
		if p.noSpec {
			s.days = allDays
			return
		}
		s.byDate = true
		s.days, s.nearest, s.last, s.lastNearest = uint32(p.set), p.nearest, p.last, p.lastNearest
		s.special = p.nearest|p.last|p.lastNearest != 0
	case 4:
		s.month = uint16(p.set)
	case 5:
		if p.noSpec {
			s.weekdays = fullWeek
			return
		}
		s.byWeek = true
		p.storeWeekdays()
	case 6:
		if p.set == 0 {
			s.years = p.years
		}
	}
}

// storeWeekdays converts the numbers of the dialect into bits, with bit 0 for Sunday.
func (p *parser) storeWeekdays() {
	s := p.out
	if p.profile == Unix {
		s.weekdays = uint8(p.set&fullWeek | p.set>>7)
		return
	}
	s.weekdays, s.nth = uint8(p.set>>1), p.nth
	if p.nth >= 1 && p.nth <= 5 {
		// Only the lenient profile gets here with more than one day, or with a day that does not
		// exist: upstream then takes the lowest one, and treats 0 as Saturday.
		day := p.nthDay
		if p.set != 0 {
			day = min(day, bits.TrailingZeros64(p.set))
		}
		switch {
		case day == 0:
			s.weekdays = 1 << 6
		case day <= 7:
			s.weekdays = 1 << (day - 1)
		default:
			s.weekdays, s.never = 0, true
		}
	}
}

// finish sets the fields that follow from the others.
func (s *Schedule) finish() {
	s.never = s.never || s.impossible()
	s.daily = s.years == nil && s.month == fullMonth && s.days == allDays && s.weekdays == fullWeek && s.nth == 0
}

// impossible reports whether no month of s has one of the required days, as in 31 April. The search
// would find out too, but only at the horizon.
func (s *Schedule) impossible() bool {
	if s.either || !s.byDate {
		return false
	}
	longest := 0
	for m := uint(1); m <= 12; m++ {
		if s.month>>m&1 != 0 {
			longest = max(longest, int(monthLength(2000, m))) // 2000 has a 29 February
		}
	}
	exist := uint32(1)<<(longest+1) - 2
	return (s.days|s.nearest)&exist == 0 && (s.last|s.lastNearest)&(exist>>1) == 0
}

// fail returns an error about a part of the expression.
func (p *parser) fail(field string, where token, rule string) *ParseError {
	return &ParseError{Field: field, Column: where.start + 1, Text: cut(p.expr[where.start:where.end]), Rule: rule}
}

func blank(c byte) bool { return c == ' ' || c == '\t' }
func digit(c byte) bool { return c >= '0' && c <= '9' }

func upper(c byte) byte {
	if c >= 'a' && c <= 'z' {
		return c - 'a' + 'A'
	}
	return c
}

func letter(c byte) bool {
	c = upper(c)
	return c >= 'A' && c <= 'Z'
}

func itoa(n int) string { return strconv.Itoa(n) }
