package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// A model is an expression in two forms that were drawn together: the text, and its meaning in the
// plainest and slowest form. It shares no code with the package.
type model struct {
	text                 string
	second, minute, hour map[int]bool
	date                 func(year, month, day int) bool
	hourSteps            bool
}

// matches reports whether the wall-clock time of t is in the set.
func (m *model) matches(t time.Time) bool {
	return m.second[t.Second()] && m.minute[t.Minute()] && m.hour[t.Hour()] &&
		m.date(t.Year(), int(t.Month()), t.Day())
}

// drawList draws the items of an ordinary field.
func drawList(t *rapid.T, label string, lo, hi, maxStep int, names []string) (string, map[int]bool) {
	set := make(map[int]bool)
	var items []string
	value := rapid.IntRange(lo, hi)
	step := rapid.IntRange(1, maxStep)
	for range rapid.IntRange(1, 3).Draw(t, label) {
		a, b, n := value.Draw(t, "a"), value.Draw(t, "b"), step.Draw(t, "n")
		// Every n-th of count values from a.
		add := func(a, count, n int) {
			for k := 0; k < count; k += n {
				set[lo+(a-lo+k)%(hi-lo+1)] = true
			}
		}
		toB := (b-a+hi-lo+1)%(hi-lo+1) + 1
		kind := rapid.IntRange(0, 8).Draw(t, "kind")
		switch {
		case kind == 0:
			items = append(items, "*")
			add(lo, hi-lo+1, 1)
		case kind == 1:
			items = append(items, fmt.Sprintf("*/%d", n))
			add(lo, hi-lo+1, n)
		case kind == 2:
			items = append(items, fmt.Sprintf("/%d", n))
			add(lo, hi-lo+1, n)
		case kind == 3:
			items = append(items, fmt.Sprintf("%d/%d", a, n))
			add(a, hi-a+1, n)
		case kind == 4:
			items = append(items, fmt.Sprintf("%d-%d", a, b))
			add(a, toB, 1)
		case kind == 5:
			items = append(items, fmt.Sprintf("%d-%d/%d", a, b, n))
			add(a, toB, n)
		case kind == 6 && names != nil:
			items = append(items, strings.ToLower(names[a-lo]))
			add(a, 1, 1)
		case kind == 7 && names != nil:
			items = append(items, names[a-lo]+"-"+names[b-lo])
			add(a, toB, 1)
		default:
			items = append(items, fmt.Sprintf("%02d", a))
			add(a, 1, 1)
		}
	}
	return strings.Join(items, ","), set
}

func lastDayOf(year, month int) int {
	return time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

func weekday(year, month, day int) time.Weekday {
	return time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC).Weekday()
}

// nearestTo returns the weekday nearest to a day in its month, or 0 if the month has no such day.
func nearestTo(year, month, day int) int {
	last := lastDayOf(year, month)
	if day < 1 || day > last {
		return 0
	}
	switch weekday(year, month, day) {
	case time.Saturday:
		if day == 1 {
			return 3
		}
		return day - 1
	case time.Sunday:
		if day == last {
			return day - 2
		}
		return day + 1
	}
	return day
}

type dateRule = func(year, month, day int) bool

func drawDates(t *rapid.T) (string, dateRule) {
	text, set := drawList(t, "dates", 1, 31, 31, nil)
	rule := func(_, _, d int) bool { return set[d] }
	items := []string{text}
	rules := []dateRule{rule}
	if rapid.Bool().Draw(t, "onlySpecial") {
		items, rules = nil, nil
	}
	for range rapid.IntRange(0, 3).Draw(t, "specials") {
		n, k := rapid.IntRange(1, 31).Draw(t, "n"), rapid.IntRange(0, 30).Draw(t, "k")
		switch rapid.IntRange(0, 4).Draw(t, "special") {
		case 0:
			items = append(items, "L")
			rules = append(rules, func(y, m, d int) bool { return d == lastDayOf(y, m) })
		case 1:
			items = append(items, fmt.Sprintf("L-%d", k))
			rules = append(rules, func(y, m, d int) bool { return d == lastDayOf(y, m)-k })
		case 2:
			items = append(items, "lw")
			rules = append(rules, func(y, m, d int) bool { return d == nearestTo(y, m, lastDayOf(y, m)) })
		case 3:
			items = append(items, fmt.Sprintf("L-%dW", k))
			rules = append(rules, func(y, m, d int) bool { return d == nearestTo(y, m, lastDayOf(y, m)-k) })
		case 4:
			items = append(items, fmt.Sprintf("%dW", n))
			rules = append(rules, func(y, m, d int) bool { return d == nearestTo(y, m, n) })
		}
	}
	if items == nil {
		return text, rule
	}
	return strings.Join(items, ","), func(y, m, d int) bool {
		return slices.ContainsFunc(rules, func(r dateRule) bool { return r(y, m, d) })
	}
}

var sundayFirst = []string{"SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"}

func drawWeekdays(t *rapid.T) (string, dateRule) {
	w := rapid.IntRange(1, 7).Draw(t, "weekday")
	name := strconv.Itoa(w)
	if rapid.Bool().Draw(t, "named") {
		name = sundayFirst[w-1]
	}
	is := func(y, m, d int) bool { return int(weekday(y, m, d)) == w-1 }
	switch rapid.IntRange(0, 4).Draw(t, "weekdays") {
	case 0:
		return "L", func(y, m, d int) bool { return weekday(y, m, d) == time.Saturday }
	case 1:
		return name + "L", func(y, m, d int) bool { return is(y, m, d) && d+7 > lastDayOf(y, m) }
	case 2:
		k := rapid.IntRange(1, 5).Draw(t, "k")
		return fmt.Sprintf("%s#%d", name, k), func(y, m, d int) bool { return is(y, m, d) && (d-1)/7 == k-1 }
	}
	text, set := drawList(t, "weekdays", 1, 7, 7, sundayFirst)
	return text, func(y, m, d int) bool { return set[int(weekday(y, m, d))+1] }
}

// drawModel draws an expression of the Quartz and Sane profiles.
func drawModel(t *rapid.T) *model {
	m := new(model)
	var seconds, minutes, hours string
	seconds, m.second = drawList(t, "seconds", 0, 59, 59, nil)
	minutes, m.minute = drawList(t, "minutes", 0, 59, 59, nil)
	hours, m.hour = drawList(t, "hours", 0, 23, 23, nil)
	m.hourSteps = strings.ContainsAny(hours, "*/")
	months, monthSet := drawList(t, "months", 1, 12, 12,
		[]string{"JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"})

	dates, weekdays, rule := "?", "?", dateRule(nil)
	switch rapid.IntRange(0, 2).Draw(t, "days") {
	case 0:
		dates, rule = "*", func(int, int, int) bool { return true }
	case 1:
		dates, rule = drawDates(t)
	case 2:
		weekdays, rule = drawWeekdays(t)
	}
	year, years := func(int) bool { return true }, ""
	if rapid.IntRange(0, 3).Draw(t, "years") == 0 {
		a := rapid.IntRange(2015, 2032).Draw(t, "from")
		b, n := a+rapid.IntRange(0, 12).Draw(t, "span"), rapid.IntRange(1, 4).Draw(t, "every")
		years = fmt.Sprintf(" %d-%d/%d,2027", a, b, n)
		year = func(y int) bool { return y == 2027 || y >= a && y <= b && (y-a)%n == 0 }
	}
	m.text = strings.Join([]string{seconds, minutes, hours, dates, months, weekdays}, " ") + years
	m.date = func(y, mo, d int) bool { return year(y) && monthSet[mo] && rule(y, mo, d) }
	return m
}

// instants returns every instant at which loc's clock shows the wall-clock time of t, earliest
// first. It tries each offset that the zone has nearby.
func instants(t time.Time, loc *time.Location) []time.Time {
	var out []time.Time
	wall := time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	for probe := wall.Add(-30 * time.Hour); probe.Before(wall.Add(30 * time.Hour)); probe = probe.Add(10 * time.Minute) {
		_, offset := probe.In(loc).Zone()
		at := wall.Add(time.Duration(-offset) * time.Second).In(loc)
		if _, o := at.Zone(); o == offset && !slices.ContainsFunc(out, at.Equal) {
			out = append(out, at)
		}
	}
	slices.SortFunc(out, time.Time.Compare)
	return out
}

// bruteNext tries day after day, and every time of each matching day, under Quartz's rule for clock
// changes.
func (m *model) bruteNext(after time.Time, days int) time.Time {
	loc := after.Location()
	ref := time.Date(after.Year(), after.Month(), after.Day(), after.Hour(), after.Minute(), after.Second(), 0, time.UTC)
	for n := range days {
		day := time.Date(ref.Year(), ref.Month(), ref.Day()+n, 0, 0, 0, 0, time.UTC)
		if !m.date(day.Year(), int(day.Month()), day.Day()) {
			continue
		}
		for h := range 24 {
			for mi := 0; m.hour[h] && mi < 60; mi++ {
				for s := 0; m.minute[mi] && s < 60; s++ {
					wall := day.Add(time.Duration(h*3600+mi*60+s) * time.Second)
					if !m.second[s] || !wall.After(ref) {
						continue
					}
					if at := instants(wall, loc); len(at) > 0 {
						return at[len(at)-1]
					}
				}
			}
		}
	}
	return time.Time{}
}

// modelZones have changes at midnight, by half an hour, by two hours, by a whole day, summer time
// in both directions, and offsets that are not whole hours or whole minutes.
var modelZones = []string{
	"UTC", "Asia/Shanghai", "America/New_York", "Europe/London", "Europe/Berlin",
	"Australia/Lord_Howe", "Australia/Adelaide", "Australia/Eucla", "Pacific/Chatham", "Pacific/Norfolk",
	"Pacific/Apia", "Pacific/Kiritimati", "Pacific/Kwajalein", "Pacific/Marquesas", "Pacific/Tongatapu",
	"America/St_Johns", "America/Caracas", "America/Santiago", "America/Asuncion", "America/Havana",
	"America/Sao_Paulo", "America/Scoresbysund", "America/Nuuk", "America/Argentina/San_Luis",
	"Asia/Kathmandu", "Asia/Kolkata", "Asia/Colombo", "Asia/Kabul", "Asia/Tehran", "Asia/Yangon",
	"Asia/Pyongyang", "Asia/Beirut", "Asia/Damascus", "Asia/Amman", "Asia/Gaza", "Asia/Ulaanbaatar", "Asia/Dhaka",
	"Africa/Cairo", "Africa/Casablanca", "Africa/El_Aaiun", "Africa/Juba", "Africa/Monrovia",
	"Europe/Dublin", "Europe/Istanbul", "Europe/Volgograd", "Europe/Amsterdam", "Antarctica/Troll",
	"Antarctica/Casey", "Antarctica/Macquarie",
}

func drawZone(t *rapid.T) *time.Location {
	loc, err := time.LoadLocation(rapid.SampledFrom(modelZones).Draw(t, "zone"))
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestNextAgainstModel(t *testing.T) {
	const days = 3 * 366
	rapid.Check(t, func(t *rapid.T) {
		m, loc := drawModel(t), drawZone(t)
		s, err := Parse(m.text)
		require.NoError(t, err, "%q", m.text)
		for range 10 {
			after := time.Unix(rapid.Int64Range(1_400_000_000, 1_900_000_000).Draw(t, "after"), 0).In(loc)
			got, want := s.Next(after), m.bruteNext(after, days)
			if want.IsZero() && !got.IsZero() {
				require.True(t, got.After(after.AddDate(0, 0, days-2)), "%q after %v: %v, the model has none", m.text, after, got)
				require.True(t, m.matches(got), "%q after %v: %v is no match", m.text, after, got)
				continue
			}
			require.Equal(t, want, got, "%q after %v", m.text, after)
		}
	})
}

func TestPrevInvertsNext(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, loc := drawModel(t), drawZone(t)
		p := rapid.SampledFrom([]Profile{Quartz, Sane}).Draw(t, "profile")
		at := time.Unix(rapid.Int64Range(1_400_000_000, 1_900_000_000).Draw(t, "at"), 0).In(loc)
		s, err := Parse(m.text, p)
		require.NoError(t, err, "%q", m.text)

		next := s.Next(at)
		if next.IsZero() {
			return
		}
		require.True(t, next.After(at))
		require.Equal(t, next, s.Prev(next.Add(1)), "%q: just after %v", m.text, next)
		prev := s.Prev(next)
		if prev.IsZero() {
			return
		}
		require.True(t, prev.Before(next))
		require.Equal(t, next, s.Next(prev), "%q: %v lies before %v", m.text, prev, next)
		if later := s.Next(next); !later.IsZero() {
			require.Equal(t, next, s.Prev(later), "%q: %v lies after %v", m.text, later, next)
		}
	})
}
