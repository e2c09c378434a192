package trigger

import "time"

// XXL-JOB: a job whose trigger procedure took more than 500 ms more than ten times within one
// minute of the clock runs in the slow pool (JobTriggerPoolHelper.addTrigger).
const (
	slowTook  = 500 * time.Millisecond
	slowTimes = 10
)

// slowJobs applies that rule. The zero value knows no slow job. In XXL-JOB a job stays slow until a
// trigger ends in a later minute; here it is slow only within the minute.
type slowJobs struct {
	minute int64         // the minute that counts belongs to, since 1970
	counts map[int64]int // slow hand-overs by job id
}

// note counts a hand-over that ended at now, if it took longer than slowTook.
func (s *slowJobs) note(job int64, took time.Duration, now time.Time) {
	if took <= slowTook {
		return
	}
	if m := minuteOf(now); m != s.minute || s.counts == nil {
		s.minute, s.counts = m, make(map[int64]int)
	}
	s.counts[job]++
}

// is reports whether the job belongs in the slow pool at now.
func (s *slowJobs) is(job int64, now time.Time) bool {
	return s.counts[job] > slowTimes && s.minute == minuteOf(now)
}

func minuteOf(t time.Time) int64 { return t.Unix() / 60 }
