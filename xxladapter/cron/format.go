package cron

import (
	"cmp"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// String returns the normal form of s in the dialect of its profile. It is the same for all
// expressions whose fields match the same values, with two exceptions: the items of the year field
// are sorted but not merged, and in Sane and Unix the hour field shows whether it has * or a step.
// Parse with the same profile turns it back into an equal schedule. Weekdays are written as names,
// because their numbers mean different days in other dialects.
func (s *Schedule) String() string {
	var b strings.Builder
	if s.profile != Unix {
		writeSet(&b, s.second, 0, 59)
		b.WriteByte(' ')
	}
	writeSet(&b, s.minute, 0, 59)
	b.WriteByte(' ')
	s.writeHours(&b)
	b.WriteByte(' ')
	s.writeDates(&b)
	b.WriteByte(' ')
	writeSet(&b, uint64(s.month), 1, 12)
	b.WriteByte(' ')
	s.writeWeekdays(&b)
	s.writeYears(&b)
	return b.String()
}

// writeSet writes the values in set as *, */n, a/n, a-b/n or a list of values and ranges, whichever
// fits first.
func writeSet(b *strings.Builder, set uint64, lo, hi int) {
	n := bits.OnesCount64(set)
	if n == hi-lo+1 {
		b.WriteByte('*')
		return
	}
	if step := progression(set); step > 1 {
		a, last := bits.TrailingZeros64(set), bits.Len64(set)-1
		toEnd := last+step > hi
		form := ""
		switch {
		case toEnd && a == lo:
			form = "*"
		case toEnd && n >= 3:
			form = strconv.Itoa(a)
		case n >= 3:
			form = strconv.Itoa(a) + "-" + strconv.Itoa(last)
		}
		if form != "" {
			b.WriteString(form + "/" + strconv.Itoa(step))
			return
		}
	}
	writeRuns(b, set, strconv.Itoa)
}

// progression returns the distance between neighbouring values in set if it is constant, and
// otherwise 0.
func progression(set uint64) int {
	step := 0
	for set&(set-1) != 0 {
		a := bits.TrailingZeros64(set)
		set &= set - 1
		d := bits.TrailingZeros64(set) - a
		if step != 0 && d != step {
			return 0
		}
		step = d
	}
	return step
}

// writeRuns writes a list; three or more neighbours become a range.
func writeRuns(b *strings.Builder, set uint64, name func(int) string) {
	for sep := ""; set != 0; sep = "," {
		a := bits.TrailingZeros64(set)
		n := bits.TrailingZeros64(^(set >> a))
		if n < 3 {
			n = 1
		}
		b.WriteString(sep)
		b.WriteString(name(a))
		if n > 1 {
			b.WriteByte('-')
			b.WriteString(name(a + n - 1))
		}
		set &^= (1<<n - 1) << a
	}
}

// writeHours writes the hours. It keeps the * or / by which Sane and Unix recognize steps.
func (s *Schedule) writeHours(b *strings.Builder) {
	start := b.Len()
	writeSet(b, uint64(s.hour), 0, 23)
	if !s.profile.sane() || strings.ContainsAny(b.String()[start:], "*/") == s.hourSteps {
		return
	}
	text := b.String()[:start]
	b.Reset()
	b.WriteString(text)
	if !s.hourSteps {
		writeRuns(b, uint64(s.hour), strconv.Itoa)
		return
	}
	// A range of one hour with a step.
	a := bits.TrailingZeros32(s.hour)
	b.WriteString(strconv.Itoa(a) + "-" + strconv.Itoa(a) + "/1")
	if rest := s.hour & (s.hour - 1); rest != 0 {
		b.WriteByte(',')
		writeRuns(b, uint64(rest), strconv.Itoa)
	}
}

func (s *Schedule) writeDates(b *strings.Builder) {
	if !s.byDate && !s.everyDay() {
		b.WriteByte(s.anyDay())
		return
	}
	if s.days == allDays || !s.byDate {
		b.WriteByte('*')
		return
	}
	sep := ""
	if s.days != 0 {
		writeSet(b, uint64(s.days), 1, 31)
		sep = ","
	}
	each := func(set uint32, write func(n int)) {
		for ; set != 0; set &= set - 1 {
			b.WriteString(sep)
			write(bits.TrailingZeros32(set))
			sep = ","
		}
	}
	fromLast := func(n int) {
		b.WriteByte('L')
		if n > 0 {
			b.WriteString("-" + strconv.Itoa(n))
		}
	}
	each(s.nearest, func(n int) { b.WriteString(strconv.Itoa(n) + "W") })
	each(s.last, fromLast)
	each(s.lastNearest, func(n int) { fromLast(n); b.WriteByte('W') })
}

func (s *Schedule) writeWeekdays(b *strings.Builder) {
	if !s.byWeek || s.everyDay() {
		b.WriteByte(s.anyDay())
		return
	}
	name := func(d int) string { return dayNames[d] }
	if s.weekdays == 0 {
		b.WriteByte('9') // the lenient profile reads any number before #
	} else {
		writeRuns(b, uint64(s.weekdays), name)
	}
	switch {
	case s.nth == lastOfMonth:
		b.WriteByte('L')
	case s.nth != 0:
		b.WriteString("#" + strconv.Itoa(int(s.nth)))
	}
}

// everyDay reports whether the day of week selects the days and excludes none. The day fields are
// then written as * and ?.
func (s *Schedule) everyDay() bool {
	return s.byWeek && !s.byDate && s.weekdays == fullWeek && s.nth == 0
}

// anyDay returns the character with which the dialect writes an unused day field.
func (s *Schedule) anyDay() byte {
	if s.profile == Unix {
		return '*'
	}
	return '?'
}

func (s *Schedule) writeYears(b *strings.Builder) {
	if s.years == nil {
		return
	}
	sep := " "
	for _, y := range s.sortedYears() {
		b.WriteString(sep)
		b.WriteString(strconv.Itoa(int(y.lo)))
		if y.hi > y.lo {
			b.WriteString("-" + strconv.Itoa(int(y.hi)))
		}
		if y.step > 1 && y.hi > y.lo {
			b.WriteString("/" + strconv.Itoa(int(y.step)))
		}
		sep = ","
	}
}

// sortedYears returns the items of the year field in order, each once.
func (s *Schedule) sortedYears() []yearRange {
	years := slices.Clone(s.years)
	slices.SortFunc(years, func(x, y yearRange) int {
		return cmp.Or(cmp.Compare(x.lo, y.lo), cmp.Compare(x.hi, y.hi), cmp.Compare(x.step, y.step))
	})
	return slices.Compact(years)
}
