package cron

import (
	"math"
	"math/bits"
)

// This file searches in wall-clock time, without a zone. A wall is a wall-clock time in seconds
// since 1970-01-01T00:00:00, as if it were UTC.

// ceil returns the smallest match that is neither before wall nor after the year until.
func (s *Schedule) ceil(wall, until int64) (int64, bool) {
	day, second := splitDay(wall)
	if s.daily {
		if at, ok := s.ceilTime(second); ok {
			return day*secondsPerDay + at, true
		}
		return s.dayStart(day+1, 1), true
	}
	year, month, dom := civil(day)
	first := day - int64(dom) + 1

	// Today is the usual answer, and the only day on which the time of day has a lower bound.
	if s.month>>month&1 != 0 && s.inYear(year) && year <= until {
		days := s.daysIn(weekdayOf(first), monthLength(year, month))
		if days>>dom&1 != 0 {
			if at, ok := s.ceilTime(second); ok {
				return day*secondsPerDay + at, true
			}
		}
		if rest := days &^ (uint32(1)<<(dom+1) - 1); rest != 0 && dom < 31 {
			return s.dayStart(first, bits.TrailingZeros32(rest)), true
		}
	}
	for {
		month++
		if later := s.month >> month; later != 0 && month <= 12 && s.inYear(year) {
			month += uint(bits.TrailingZeros16(later))
		} else {
			var ok bool
			if year, ok = s.yearFrom(year+1, until); !ok || s.month == 0 {
				return 0, false
			}
			month = uint(bits.TrailingZeros16(s.month))
		}
		if year > until {
			return 0, false
		}
		first = dayNumber(year, month)
		if days := s.daysIn(weekdayOf(first), monthLength(year, month)); days != 0 {
			return s.dayStart(first, bits.TrailingZeros32(days)), true
		}
	}
}

// floor returns the greatest match that is neither after wall nor before the year from.
func (s *Schedule) floor(wall, from int64) (int64, bool) {
	day, second := splitDay(wall)
	if s.daily {
		if at, ok := s.floorTime(second); ok {
			return day*secondsPerDay + at, true
		}
		return s.dayEnd(day-1, 1), true
	}
	year, month, dom := civil(day)
	first := day - int64(dom) + 1

	if s.month>>month&1 != 0 && s.inYear(year) && year >= from {
		days := s.daysIn(weekdayOf(first), monthLength(year, month))
		if days>>dom&1 != 0 {
			if at, ok := s.floorTime(second); ok {
				return day*secondsPerDay + at, true
			}
		}
		if rest := days & (uint32(1)<<dom - 1); rest != 0 {
			return s.dayEnd(first, bits.Len32(rest)-1), true
		}
	}
	for {
		if earlier := s.month & (uint16(1)<<month - 1); earlier != 0 && s.inYear(year) {
			month = uint(bits.Len16(earlier)) - 1
		} else {
			var ok bool
			if year, ok = s.yearUpTo(year-1, from); !ok || s.month == 0 {
				return 0, false
			}
			month = uint(bits.Len16(s.month)) - 1
		}
		if year < from {
			return 0, false
		}
		first = dayNumber(year, month)
		if days := s.daysIn(weekdayOf(first), monthLength(year, month)); days != 0 {
			return s.dayEnd(first, bits.Len32(days)-1), true
		}
	}
}

// until returns the last year that a search from wall covers. A daily schedule needs none.
func (s *Schedule) until(wall int64) int64 {
	if s.daily {
		return 0
	}
	return yearOf(wall) + horizon
}

// since returns the first year that a backward search from wall covers. A daily schedule needs
// none.
func (s *Schedule) since(wall int64) int64 {
	if s.daily {
		return 0
	}
	return yearOf(wall) - horizon
}

func yearOf(wall int64) int64 {
	day, _ := splitDay(wall)
	year, _, _ := civil(day)
	return year
}

// splitDay returns the day number of a wall and the second of that day.
func splitDay(wall int64) (day, second int64) {
	day = wall / secondsPerDay
	second = wall - day*secondsPerDay
	if second < 0 {
		second += secondsPerDay
		day--
	}
	return day, second
}

// dayStart returns the first time of s on day dom of the month that starts at first.
//
// REQUIRES: s fires on that day.
func (s *Schedule) dayStart(first int64, dom int) int64 {
	h, m, sec := bits.TrailingZeros32(s.hour), bits.TrailingZeros64(s.minute), bits.TrailingZeros64(s.second)
	return (first+int64(dom)-1)*secondsPerDay + int64(h*3600+m*60+sec)
}

// dayEnd returns the last time of s on such a day.
func (s *Schedule) dayEnd(first int64, dom int) int64 {
	h, m, sec := bits.Len32(s.hour)-1, bits.Len64(s.minute)-1, bits.Len64(s.second)-1
	return (first+int64(dom)-1)*secondsPerDay + int64(h*3600+m*60+sec)
}

// ceilTime returns the smallest matching second of the day that is not before the given one.
func (s *Schedule) ceilTime(second int64) (int64, bool) {
	h, m, sec := clock(second)
	if s.hour>>h&1 != 0 {
		if s.minute>>m&1 != 0 {
			if later := s.second >> sec; later != 0 {
				return second + int64(bits.TrailingZeros64(later)), true
			}
		}
		if later := s.minute >> (m + 1); later != 0 {
			m += 1 + uint(bits.TrailingZeros64(later))
			return int64(h*3600+m*60) + int64(bits.TrailingZeros64(s.second)), true
		}
	}
	if later := s.hour >> (h + 1); later != 0 {
		h += 1 + uint(bits.TrailingZeros32(later))
		m = uint(bits.TrailingZeros64(s.minute))
		return int64(h*3600+m*60) + int64(bits.TrailingZeros64(s.second)), true
	}
	return 0, false
}

// floorTime returns the greatest matching second of the day that is not after the given one.
func (s *Schedule) floorTime(second int64) (int64, bool) {
	h, m, sec := clock(second)
	if s.hour>>h&1 != 0 {
		if s.minute>>m&1 != 0 {
			if earlier := s.second & (2<<sec - 1); earlier != 0 {
				return int64(h*3600+m*60) + int64(bits.Len64(earlier)-1), true
			}
		}
		if earlier := s.minute & (1<<m - 1); earlier != 0 {
			m = uint(bits.Len64(earlier) - 1)
			return int64(h*3600+m*60) + int64(bits.Len64(s.second)-1), true
		}
	}
	if earlier := s.hour & (1<<h - 1); earlier != 0 {
		h = uint(bits.Len32(earlier) - 1)
		m = uint(bits.Len64(s.minute) - 1)
		return int64(h*3600+m*60) + int64(bits.Len64(s.second)-1), true
	}
	return 0, false
}

func clock(second int64) (h, m, s uint) {
	x := uint32(second)
	h32 := x / 3600
	x -= h32 * 3600
	m32 := x / 60
	return uint(h32), uint(m32), uint(x - m32*60)
}

// inYear reports whether s fires in the given year.
func (s *Schedule) inYear(year int64) bool {
	if s.years == nil {
		return true
	}
	for _, r := range s.years {
		if year >= int64(r.lo) && year <= int64(r.hi) && (year-int64(r.lo))%int64(r.step) == 0 {
			return true
		}
	}
	return false
}

// yearFrom returns the first year of s that is not before year, or false if that is after until.
func (s *Schedule) yearFrom(year, until int64) (int64, bool) {
	if s.years == nil {
		return year, year <= until
	}
	best := int64(math.MaxInt64)
	for _, r := range s.years {
		y := int64(r.lo)
		if year > y {
			step := int64(r.step)
			y += (year - y + step - 1) / step * step
		}
		if y <= int64(r.hi) {
			best = min(best, y)
		}
	}
	return best, best <= until
}

// yearUpTo returns the last year of s that is not after year, or false if that is before from.
func (s *Schedule) yearUpTo(year, from int64) (int64, bool) {
	if s.years == nil {
		return year, year >= from
	}
	best := int64(math.MinInt64)
	for _, r := range s.years {
		if y := min(year, int64(r.hi)); y >= int64(r.lo) {
			best = max(best, y-(y-int64(r.lo))%int64(r.step))
		}
	}
	return best, best >= from
}
