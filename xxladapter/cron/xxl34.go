package cron

import "math/bits"

// ceilXXL rounds up as XXL-JOB 3.4 does when the day of month has W or another special item. It
// follows that release's order of steps, which causes its faults: it fixes the time of day before
// the day, and a move to a nearest weekday keeps that time instead of starting at midnight. Earlier
// times of that day are skipped. If a day moved forward, only its first match remains, since the
// search does not look back at the day before.
//
// The behaviour is that of cron_version_diffs.csv, dialect C.
func (s *Schedule) ceilXXL(wall, until int64) (int64, bool) {
	after := wall
	for {
		day, second := splitDay(wall)
		year, month, dom := civil(day)
		if year > until || s.month == 0 {
			return 0, false
		}
		if s.month>>month&1 == 0 || !s.inYear(year) {
			wall = nextMonth(year, month)
			continue
		}
		at, ok := s.ceilTime(second)
		if !ok {
			wall = (day + 1) * secondsPerDay
			continue
		}

		first := day - int64(dom) + 1
		weekday, length := weekdayOf(first), monthLength(year, month)
		exist := uint32(1)<<(length+1) - 2
		fromHere := exist &^ (uint32(1)<<dom - 1)
		plain := (s.days | fromEnd(s.last, length)) & fromHere
		move := (s.nearest | fromEnd(s.lastNearest, length)) & fromHere

		target := 0
		for ; move != 0; move &= move - 1 {
			to := bits.TrailingZeros32(nearestWeekdays(move&-move, weekday, length))
			if (first+int64(to)-1)*secondsPerDay+at >= after {
				target = to
				break
			}
		}
		if plain != 0 && (target == 0 || bits.TrailingZeros32(plain) < target) {
			target = bits.TrailingZeros32(plain)
			if target != int(dom) {
				wall = (first + int64(target) - 1) * secondsPerDay
				continue
			}
		}
		if target == 0 {
			wall = nextMonth(year, month)
			continue
		}
		return (first+int64(target)-1)*secondsPerDay + at, true
	}
}

// nextMonth returns the start of the month that follows the given one.
func nextMonth(year int64, month uint) int64 {
	return dayNumber(year, month+1) * secondsPerDay
}
