package forecast

import (
	"fmt"
	"slices"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
)

var (
	now  = time.Date(2026, 3, 1, 12, 7, 30, 0, time.UTC)
	opts = Options{Zone: time.UTC}
)

// fires returns the numbers of fires of the first n cells.
func fires(f Forecast, n int) (list []int64) {
	for _, c := range f.Cells[:n] {
		list = append(list, c.Fires)
	}
	return list
}

func TestFiresAreCountedByQuarterOfAnHour(t *testing.T) {
	at := func(minutes float64) time.Time { return now.Add(time.Duration(minutes * float64(time.Minute))) }
	for _, c := range []struct {
		name string
		job  Job
		want []int64
	}{
		{"cron", Job{Type: "CRON", Conf: "0 */5 * * * ?"}, []int64{1, 3, 3, 3, 3}},
		{"cron on the edge of a cell", Job{Type: "CRON", Conf: "0 0,15 * * * ?"}, []int64{0, 1, 0, 0, 1}},
		{"cron at this very moment", Job{Type: "CRON", Conf: "30 7 12 * * ?"}, []int64{1, 0, 0, 0, 0}},
		{"cron in a zone", Job{Type: "CRON", Conf: "0 0 21 * * ?", Zone: "Asia/Tokyo"}, []int64{0, 0, 0, 0, 0}},
		{"cron in a zone, 21:30", Job{Type: "CRON", Conf: "0 30 21 * * ?", Zone: "Asia/Tokyo"}, []int64{0, 0, 1, 0, 0}},
		{"overdue cron", Job{Type: "CRON", Conf: "0 0 0 * * ?", Next: at(-60)}, []int64{1, 0, 0, 0, 0}},
		{"rate", Job{Type: "FIX_RATE", Conf: "60", Next: at(0.5)}, []int64{7, 15, 15, 15, 15}},
		{"slow rate", Job{Type: "FIX_RATE", Conf: "1200", Next: at(10)}, []int64{0, 1, 1, 1, 0}},
		{"overdue rate", Job{Type: "FIX_RATE", Conf: "900", Next: at(-100)}, []int64{1, 1, 1, 1, 1}},
		{"rate of a tenth", Job{Type: "FIX_RATE", Conf: "0.1", Next: at(0)}, []int64{4500, 9000, 9000, 9000, 9000}},
		{"delay", Job{Type: "FIX_DELAY", Conf: "60", Next: at(7.5), Run: 4 * time.Minute}, []int64{0, 3, 3, 3, 3}},
		{"delay during a run", Job{Type: "FIX_DELAY", Conf: "1500", Next: xxladapter.AfterRun, Run: 10 * time.Minute}, []int64{0, 0, 1, 0, 0}},
		{"once", Job{Type: "ONCE", Conf: "2026-03-01T12:30:00Z", Next: at(22.5)}, []int64{0, 0, 1, 0, 0}},
		{"none", Job{Type: "NONE"}, []int64{0, 0, 0, 0, 0}},
	} {
		f := Of([]Job{c.job}, now, time.Hour, opts)
		require.Len(t, f.Cells, 5)
		require.Equal(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), f.Cells[0].At)
		require.Equal(t, c.want, fires(f, 5), c.name)
		for i, cell := range f.Cells {
			require.Equal(t, time.Duration(cell.Fires)*c.job.Run, cell.Run)
			shares := Within([]Job{c.job}, now, time.Hour, opts, cell.At.Add(Step-1))
			require.Equal(t, c.want[i] > 0, len(shares) == 1, "%s, cell %d", c.name, i)
		}
	}
}

// TestAForecastIsTheSumOfItsJobs compares the forecast of many jobs, whose expressions are computed
// once, with the sum of the forecasts of each job alone.
func TestAForecastIsTheSumOfItsJobs(t *testing.T) {
	var jobs []Job
	for i := range 60 {
		j := Job{ID: int64(i + 1), Type: "CRON", Conf: fmt.Sprintf("0 %d/7 * * * ?", i%5), Run: time.Duration(i%3) * time.Second, Ran: i%4 > 0}
		if i%7 == 0 {
			j.Zone = "Europe/Berlin"
		}
		if i%6 == 0 {
			j.Type, j.Conf, j.Next = "FIX_RATE", "600", now.Add(time.Duration(i)*time.Second)
		}
		jobs = append(jobs, j)
	}
	jobs = append(jobs, Job{ID: 100, Type: "CRON", Conf: "nonsense"}, Job{ID: 101, Type: "CRON", Conf: "0 0 0 1 1 ?", Zone: "Mars"}, Job{ID: 102, Type: "CRON", Conf: "0 0 0 30 2 ?"})
	all := Of(jobs, now, 24*time.Hour, opts)
	require.Len(t, all.Cells, 97)
	require.Equal(t, 2, all.Unreadable)
	require.Equal(t, 15, all.Unknown, "a run may take no millisecond")
	want := make([]Cell, len(all.Cells))
	for _, j := range jobs {
		for i, c := range Of([]Job{j}, now, 24*time.Hour, opts).Cells {
			want[i].At = c.At
			want[i].Fires += c.Fires
			want[i].Run += c.Run
		}
	}
	require.Equal(t, want, all.Cells)

	cell := all.Cells[10]
	var sum Share
	shares := Within(jobs, now, 24*time.Hour, opts, cell.At)
	for i, s := range shares {
		sum.Fires += s.Fires
		sum.Run += s.Run
		require.True(t, i == 0 || s.Run <= shares[i-1].Run)
	}
	require.Equal(t, cell.Fires, sum.Fires)
	require.Equal(t, cell.Run, sum.Run)
	require.Empty(t, Within(jobs, now, 24*time.Hour, opts, now.Add(-time.Hour)))
	require.Empty(t, Within(jobs, now, 24*time.Hour, opts, now.Add(25*time.Hour)))
}

// TestAnOverdueJobIsOverdueAlone checks that a job that is overdue fires once now, and that others
// with its expression do not.
func TestAnOverdueJobIsOverdueAlone(t *testing.T) {
	jobs := []Job{{ID: 1}, {ID: 2, Next: now.Add(-time.Hour), Run: time.Second}, {ID: 3, Next: now.Add(time.Hour)}}
	for i := range jobs {
		jobs[i].Type, jobs[i].Conf = "CRON", "0 0 13 * * ?"
	}
	for range jobs { // in each order
		f := Of(jobs, now, time.Hour, opts)
		require.Equal(t, []int64{1, 0, 0, 0, 3}, fires(f, 5))
		require.Equal(t, time.Second, f.Cells[0].Run)
		require.Equal(t, 3, f.Unknown)
		require.Equal(t, []Share{{2, 1, time.Second}}, Within(jobs, now, time.Hour, opts, now))
		require.Len(t, Within(jobs, now, time.Hour, opts, f.Cells[4].At), 3)
		jobs = append(jobs[1:], jobs[0])
	}
}

// TestPausesSuppressTheJobsOfTheirGroups gives one expression to jobs of several groups. Pauses
// that have ended, and those that begin after the forecast, suppress nothing.
func TestPausesSuppressTheJobsOfTheirGroups(t *testing.T) {
	at := func(minutes int) time.Time { return now.Truncate(Step).Add(time.Duration(minutes) * time.Minute) }
	restricted := opts
	restricted.Restrictions = &xxladapter.Restrictions{Pauses: []xxladapter.Pause{
		{ID: 1, Until: at(5)},
		{ID: 2, GroupID: 1, From: at(-60), Until: at(30)},
		{ID: 3, GroupID: 2, From: at(-60), Until: at(5)},
		{ID: 4, GroupID: 3, From: at(80)},
		{ID: 5, From: at(45), Until: at(60)},
		{ID: 6, GroupID: 3, From: at(20), Until: at(25)},
	}}
	var jobs []Job
	for group, want := range map[int64][]int64{
		1: {0, 0, 3, 0, 3}, 2: {1, 3, 3, 0, 3}, 3: {1, 2, 3, 0, 3}, 4: {1, 3, 3, 0, 3},
	} {
		j := Job{ID: group, GroupID: group, Type: "CRON", Conf: "0 */5 * * * ?"}
		require.Equal(t, want, fires(Of([]Job{j}, now, time.Hour, restricted), 5), "group %d", group)
		jobs = append(jobs, j)
	}
	f := Of(jobs, now, time.Hour, restricted)
	require.Equal(t, []int64{3, 8, 12, 0, 12}, fires(f, 5))
	require.Len(t, Within(jobs, now, time.Hour, restricted, at(0)), 3)
	require.Empty(t, Within(jobs, now, time.Hour, restricted, at(45)))
}

// TestAPauseSuppressesTheOneDueTimeOfAJob checks that a pause that begins or ends within a quarter
// of an hour decides about the due time of a ONCE job, and not about the quarter.
func TestAPauseSuppressesTheOneDueTimeOfAJob(t *testing.T) {
	at := func(minutes int) time.Time { return now.Truncate(Step).Add(time.Duration(minutes) * time.Minute) }
	restricted := opts
	restricted.Restrictions = &xxladapter.Restrictions{Pauses: []xxladapter.Pause{{ID: 1, From: at(7), Until: at(20)}}}
	for minute, want := range map[int][]int64{14: {0, 0}, 19: {0, 0}, 20: {0, 1}, 29: {0, 1}} {
		j := Job{ID: 1, Type: xxladapter.ScheduleOnce, Conf: at(minute).Format(time.RFC3339), Next: at(minute)}
		require.Equal(t, want, fires(Of([]Job{j}, now, time.Hour, restricted), 2), "minute %d", minute)
	}
}

// TestDaysWithoutWorkAndPausesLeaveTheOtherDueTimes compares a week that has holidays and pauses
// with a decision about each due time.
func TestDaysWithoutWorkAndPausesLeaveTheOtherDueTimes(t *testing.T) {
	zone, err := time.LoadLocation("Asia/Shanghai")
	require.NoError(t, err)
	from := time.Date(2026, 4, 29, 22, 10, 0, 0, zone)
	r := &xxladapter.Restrictions{Pauses: []xxladapter.Pause{
		{ID: 1, GroupID: 1, From: from.Add(3 * time.Hour), Until: from.Add(5 * time.Hour)},
		{ID: 2, From: from.Add(4 * time.Hour), Until: from.Add(30 * time.Hour)},
		{ID: 3, GroupID: 1, From: from.Add(160 * time.Hour)},
	}}
	restricted := Options{Zone: zone, Restrictions: r}
	j := Job{ID: 1, GroupID: 1, Type: "CRON", Conf: "0 */7 * * * ?", Calendar: "cn"}
	f := Of([]Job{j}, from, MaxSpan, restricted)
	want := make([]int64, len(f.Cells))
	plan, err := cron.ParsePlan("CRON", j.Conf, zone)
	require.NoError(t, err)
	job, suppressed := &xxladapter.Job{GroupID: 1, Settings: xxladapter.Settings{Calendar: "cn"}}, 0
	for at := plan.Next(from.Add(-1)); at.Before(f.Cells[len(want)-1].At.Add(Step)); at = plan.Next(at) {
		if _, is := r.Suppression(job, at, zone); is {
			suppressed++
			continue
		}
		want[at.Sub(f.Cells[0].At)/Step]++
	}
	require.Greater(t, suppressed, 400)
	require.Equal(t, want, fires(f, len(want)))
	require.Greater(t, Of([]Job{{ID: 1, GroupID: 1, Type: "CRON", Conf: j.Conf}}, from, MaxSpan, restricted).Cells[300].Fires, int64(0))
}

// BenchmarkForecast computes seven days of 100,000 jobs of 50 groups, a tenth of them with a rate,
// and the others with more than 5,000 different cron expressions.
func BenchmarkForecast(b *testing.B) {
	jobs := make([]Job, 100_000)
	expressions := map[string]bool{}
	for i := range jobs {
		hours := []string{"*", "2", "*/6", "8-18"}[i/3600%4]
		jobs[i] = Job{
			ID: int64(i + 1), Type: xxladapter.ScheduleCron, Conf: fmt.Sprintf("%d %d %s * * ?", i%60, i/60%60, hours),
			Next: now.Add(time.Hour), GroupID: int64(1 + (i+i/14400)%50), Run: time.Second, Ran: true,
		}
		if i%10 == 0 {
			jobs[i].Type, jobs[i].Conf = xxladapter.ScheduleFixRate, fmt.Sprint(10+i%600)
			continue
		}
		expressions[jobs[i].Conf] = true
	}
	require.Greater(b, len(expressions), 5000)
	ended := now.Add(-time.Hour)
	for _, c := range []struct {
		name     string
		calendar string
		pauses   []xxladapter.Pause
	}{
		{name: "plain"},
		{"with a pause", "", []xxladapter.Pause{{ID: 1, GroupID: 7, From: now, Until: now.Add(24 * time.Hour)}}},
		{"with a pause of all", "", []xxladapter.Pause{{ID: 1, From: now.Add(time.Hour), Until: now.Add(2 * time.Hour)}}},
		{"with 1000 pauses that have ended", "", slices.Repeat([]xxladapter.Pause{{ID: 1, GroupID: 7, Until: ended}, {ID: 2, Until: ended}}, 500)},
		{name: "with a calendar", calendar: "cn"},
	} {
		for i := range jobs {
			jobs[i].Calendar = c.calendar
		}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f := Of(jobs, now, MaxSpan, Options{Zone: time.UTC, Profile: cron.Quartz, Restrictions: &xxladapter.Restrictions{Pauses: c.pauses}})
				require.Zero(b, f.Unreadable)
				fires := int64(0)
				for _, cell := range f.Cells {
					fires += cell.Fires
				}
				require.Greater(b, fires, int64(len(jobs)), "each job is due on most days")
			}
		})
	}
}

// TestAnOverdueJobThatIsHeldUpHasNoFire checks that an overdue job does not fire now while it is
// paused, or if its due time is on a day without work that has not ended.
func TestAnOverdueJobThatIsHeldUpHasNoFire(t *testing.T) {
	office := &xxladapter.Calendar{Name: "office", Weekend: []xxladapter.Weekday{"SUNDAY"}} // now is a Sunday
	opts := Options{Zone: time.UTC, Restrictions: &xxladapter.Restrictions{
		Pauses:    []xxladapter.Pause{{ID: 1, GroupID: 2, From: now.Add(-time.Minute)}},
		Calendars: []*xxladapter.Calendar{office},
	}}
	overdue := Job{ID: 7, Type: "CRON", Conf: "0 0 * * * ?", Next: now.Add(-time.Hour)}
	free, paused, off, missed := overdue, overdue, overdue, overdue
	paused.GroupID, off.Calendar = 2, office.Name
	missed.Calendar, missed.Next = office.Name, now.AddDate(0, 0, -1)
	for i, tt := range []struct {
		job  Job
		want int64
	}{{free, 1}, {paused, 0}, {off, 0}, {missed, 1}} {
		require.Equal(t, tt.want, Of([]Job{tt.job}, now, time.Hour, opts).Cells[0].Fires, i)
		require.Len(t, Within([]Job{tt.job}, now, time.Hour, opts, now), int(tt.want), i)
	}
}
