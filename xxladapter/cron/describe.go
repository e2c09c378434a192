package cron

import (
	"math/bits"
	"strconv"
	"strings"
)

// A Language is a language of Describe. The zero value is English.
type Language uint8

// Languages of Describe.
const (
	English Language = iota
	Chinese          // simplified
)

// Describe describes in words when s fires: "at 09:00, on Monday to Friday". The words follow from
// the normal form, so expressions with the same normal form have the same description. The text is
// for people and may change between releases. An unknown language is treated as English. The text
// mentions neither the zone nor what happens at clock changes.
func (s *Schedule) Describe(lang Language) string {
	if lang == Chinese {
		return s.chinese()
	}
	return s.english()
}

// maxTimes is the largest number of times of day that are listed one by one.
const maxTimes = 6

// times returns the times of day if there are few, and otherwise nil.
func (s *Schedule) times() []string {
	if bits.OnesCount64(s.second) != 1 || bits.OnesCount32(s.hour)*bits.OnesCount64(s.minute) > maxTimes {
		return nil
	}
	var out []string
	for _, h := range values(uint64(s.hour)) {
		for _, m := range values(s.minute) {
			text := two(h) + ":" + two(m)
			if s.second != 1 {
				text += ":" + two(bits.TrailingZeros64(s.second))
			}
			out = append(out, text)
		}
	}
	return out
}

// values returns the members of set in order.
func values(set uint64) []int {
	var out []int
	for ; set != 0; set &= set - 1 {
		out = append(out, bits.TrailingZeros64(set))
	}
	return out
}

// every returns n if set holds exactly the multiples of n from 0 up to but not including size, and
// n divides size. Otherwise it returns 0. It returns 1 for the full set.
func every(set uint64, size int) int {
	n := progression(set)
	if n == 0 || set&1 == 0 || size%n != 0 || bits.OnesCount64(set) != size/n {
		return 0
	}
	return n
}

// words holds the texts with which a language joins the members of a list.
type words struct{ to, comma, and string }

// list joins the members of set; three or more neighbours become a range.
func (w words) list(set uint64, name func(int) string) string {
	var items []string
	for set != 0 {
		a := bits.TrailingZeros64(set)
		n := bits.TrailingZeros64(^(set >> a))
		if n < 3 {
			n = 1
		}
		text := name(a)
		if n > 1 {
			text += w.to + name(a+n-1)
		}
		items = append(items, text)
		set &^= (1<<n - 1) << a
	}
	return w.join(items)
}

func (w words) join(items []string) string {
	if len(items) < 2 {
		return strings.Join(items, "")
	}
	last := len(items) - 1
	return strings.Join(items[:last], w.comma) + w.and + items[last]
}

func two(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

// fullMonth and fullWeek are the sets that the text does not mention.
const (
	fullMonth = 1<<13 - 2
	fullWeek  = 1<<7 - 1
)

var (
	englishWords  = words{" to ", ", ", " and "}
	englishMonths = []string{"", "January", "February", "March", "April", "May", "June", "July", "August",
		"September", "October", "November", "December"}
	englishDays = []string{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}
	ordinals    = []string{"", "first", "second", "third", "fourth", "fifth"}
)

func (s *Schedule) english() string {
	w := englishWords
	parts := s.englishTime()
	switch {
	case s.byDate && s.byWeek:
		parts = append(parts, s.englishDate()+" or "+s.englishWeek())
	case s.byWeek && (s.weekdays != fullWeek || s.nth != 0):
		parts = append(parts, s.englishWeek())
	case s.byDate && s.days != allDays:
		parts = append(parts, s.englishDate())
	default:
		parts = append(parts, "every day")
	}
	if s.month != fullMonth {
		parts = append(parts, "in "+w.list(uint64(s.month), func(m int) string { return englishMonths[m] }))
	}
	if s.years != nil {
		var years []string
		for _, y := range s.sortedYears() {
			text := strconv.Itoa(int(y.lo))
			switch {
			case y.step > 1 && y.hi >= maxYear:
				text = "every " + ordinal(int(y.step)) + " year from " + text
			case y.step > 1:
				text = "every " + ordinal(int(y.step)) + " year from " + text + w.to + strconv.Itoa(int(y.hi))
			case y.hi > y.lo && y.hi >= maxYear:
				text += " and later"
			case y.hi > y.lo:
				text += w.to + strconv.Itoa(int(y.hi))
			}
			years = append(years, text)
		}
		parts = append(parts, "in "+w.join(years))
	}
	text := strings.Join(parts, ", ")
	if s.never {
		text += ", which never comes"
	}
	return text
}

func (s *Schedule) englishTime() []string {
	w := englishWords
	if at := s.times(); at != nil {
		return []string{"at " + w.join(at)}
	}
	number := func(name string, set uint64) string {
		if set&(set-1) != 0 {
			name += "s"
		}
		return name + " " + w.list(set, strconv.Itoa)
	}
	repeat := func(name string, n int) string {
		if n == 1 {
			return "every " + name
		}
		return "every " + strconv.Itoa(n) + " " + name + "s"
	}
	hourly := every(uint64(s.hour), 24)
	minutely := every(s.minute, 60)
	secondly := every(s.second, 60)

	var parts []string
	switch {
	case secondly > 0:
		parts = append(parts, repeat("second", secondly))
	case s.second != 1:
		parts = append(parts, "at "+number("second", s.second))
	}
	switch {
	case minutely == 1 && secondly > 0:
	case minutely > 1 && secondly > 0:
		parts = append(parts, "in minutes that are multiples of "+strconv.Itoa(minutely))
	case minutely > 0:
		parts = append(parts, repeat("minute", minutely))
	case secondly > 0:
		parts = append(parts, "in "+number("minute", s.minute))
	default:
		parts = append(parts, "at "+number("minute", s.minute))
	}
	switch {
	case hourly == 1 && minutely == 0:
		parts[len(parts)-1] += " of every hour"
	case hourly == 1:
	case hourly > 1:
		parts = append(parts, repeat("hour", hourly)+" from midnight")
	default:
		a, last := bits.TrailingZeros32(s.hour), bits.Len32(s.hour)-1
		if bits.OnesCount32(s.hour) == last-a+1 {
			parts = append(parts, "from "+two(a)+":00 to "+two(last)+":59")
		} else {
			parts = append(parts, "in "+number("hour", uint64(s.hour)))
		}
	}
	return parts
}

func ordinal(n int) string {
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		return strconv.Itoa(n) + "st"
	case n%10 == 2:
		return strconv.Itoa(n) + "nd"
	case n%10 == 3:
		return strconv.Itoa(n) + "rd"
	}
	return strconv.Itoa(n) + "th"
}

func (s *Schedule) englishDate() string {
	w := englishWords
	var items []string
	if s.days != 0 {
		text := "day "
		if s.days&(s.days-1) != 0 {
			text = "days "
		}
		items = append(items, text+w.list(uint64(s.days), strconv.Itoa))
	}
	for _, n := range values(uint64(s.nearest)) {
		items = append(items, "the weekday nearest to day "+strconv.Itoa(n))
	}
	before := func(n int) string {
		switch n {
		case 0:
			return "the last day"
		case 1:
			return "the day before the last day"
		}
		return strconv.Itoa(n) + " days before the last day"
	}
	for _, n := range values(uint64(s.last)) {
		items = append(items, before(n))
	}
	for _, n := range values(uint64(s.lastNearest)) {
		if n == 0 {
			items = append(items, "the last weekday")
		} else {
			items = append(items, "the weekday nearest to "+before(n))
		}
	}
	return "on " + w.join(items) + " of the month"
}

func (s *Schedule) englishWeek() string {
	name := func(d int) string { return englishDays[d] }
	days := englishWords.list(uint64(s.weekdays), name)
	switch {
	case s.weekdays == 0:
		return "on no day"
	case s.nth == lastOfMonth:
		return "on the last " + days + " of the month"
	case s.nth != 0:
		return "on the " + ordinals[s.nth] + " " + days + " of the month"
	}
	return "on " + days
}
