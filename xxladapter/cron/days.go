package cron

import "math/bits"

// The calendar here is the proleptic Gregorian one that package time uses. A day number counts from
// 1970-01-01. The days of a month are a word in which bit d stands for day d, so bit 0 is always
// clear.

const (
	secondsPerDay = 86400
	daysPerEra    = 146097 // 400 years, after which dates and weekdays repeat
	epochShift    = 719468 // days from 0000-03-01 to 1970-01-01
)

// civil splits a day number. Internally years start in March, which makes the leap day the last day
// of the year and the month lengths a linear formula.
func civil(day int64) (year int64, month, dayOfMonth uint) {
	z := day + epochShift
	era := z / daysPerEra
	if z < 0 {
		era = (z - daysPerEra + 1) / daysPerEra
	}
	doe := uint32(z - era*daysPerEra)
	yoe := (doe - doe/1460 + doe/36524 - doe/146096) / 365
	doy := doe - (365*yoe + yoe/4 - yoe/100)
	mp := (5*doy + 2) / 153
	dayOfMonth = uint(doy - (153*mp+2)/5 + 1)
	year = int64(yoe) + era*400
	if mp < 10 {
		return year, uint(mp + 3), dayOfMonth
	}
	return year + 1, uint(mp - 9), dayOfMonth
}

// dayNumber returns the number of the first day of a month. The month is 1 to 12, or 13 for the
// next January.
func dayNumber(year int64, month uint) int64 {
	m := int64(month) - 3
	if m < 0 {
		m += 12
		year--
	}
	era := year / 400
	if year < 0 {
		era = (year - 399) / 400
	}
	yoe := year - era*400
	doy := (153*m + 2) / 5
	return era*daysPerEra + yoe*365 + yoe/4 - yoe/100 + doy - epochShift
}

func leap(year int64) bool {
	return year&3 == 0 && (year%100 != 0 || year%400 == 0)
}

// monthLengths holds the lengths in common years, by month 1 to 12.
var monthLengths = [13]uint8{0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}

func monthLength(year int64, month uint) uint {
	if month == 2 && leap(year) {
		return 29
	}
	return uint(monthLengths[month])
}

// weekdayOf returns the weekday of a day number, from 0 for Sunday to 6 for Saturday.
func weekdayOf(day int64) uint {
	w := (day + 4) % 7 // 1970-01-01 was a Thursday
	if w < 0 {
		w += 7
	}
	return uint(w)
}

// allDays has bits 1 to 31 set.
const allDays uint32 = 1<<32 - 2

// onWeekdays returns the days of a month that fall on the weekdays in set (bit 0 is Sunday) if day
// 1 falls on first. It returns days up to the 31st.
func onWeekdays(set uint8, first uint) uint32 {
	week := uint64(set>>first|set<<(7-first)) & 0x7f // bit 0: the weekday of day 1
	return uint32(week * (1 | 1<<7 | 1<<14 | 1<<21 | 1<<28) << 1)
}

// nearestWeekdays moves each of the given days to the nearest weekday, Monday to Friday, of the
// same month: Saturdays back, Sundays forward, except that the first and the last day of the month
// move inwards.
func nearestWeekdays(days uint32, first, length uint) uint32 {
	sat := days & onWeekdays(1<<6, first)
	sun := days & onWeekdays(1<<0, first)
	moved := days &^ (sat | sun)
	moved |= (sat &^ 2) >> 1
	moved |= (sat & 2) << 2
	end := uint32(1) << length
	moved |= (sun &^ end) << 1
	moved |= (sun & end) >> 2
	return moved
}

// fromEnd converts bits 0 to 30, each a number of days before the last day, into days of a month
// with the given length. Days before the 1st disappear.
func fromEnd(offsets uint32, length uint) uint32 {
	return bits.Reverse32(offsets) >> (31 - length) &^ 1
}

// daysIn returns the days on which s fires in a month whose day 1 falls on the weekday first.
func (s *Schedule) daysIn(first, length uint) uint32 {
	exist := uint32(1)<<(length+1) - 2 // for 31 the shift yields 0, so the result is all days
	byDate := s.days
	if s.special {
		byDate |= fromEnd(s.last, length)
		byDate |= nearestWeekdays(s.nearest&exist|fromEnd(s.lastNearest, length), first, length)
	}
	byWeek := onWeekdays(s.weekdays, first)
	switch {
	case s.nth == lastOfMonth:
		byWeek &= ^uint32(0) << (length - 6)
	case s.nth != 0:
		byWeek &= 0x7f << (7*(s.nth-1) + 1)
	}
	if s.either {
		return (byDate | byWeek) & exist
	}
	return byDate & byWeek & exist
}
