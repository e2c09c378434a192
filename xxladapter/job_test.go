package xxladapter

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestWhatHasNoRoomInARowIsRefused tries the widest value of each column, and one that is wider by
// one.
func TestWhatHasNoRoomInARowIsRefused(t *testing.T) {
	fits := func(change func(*Job)) *Job {
		j := &Job{Name: "job", Author: "me", Handler: "h"}
		j.SetDefaults()
		change(j)
		return j
	}
	text := func(n int) string { return strings.Repeat("😀", n) }
	tooMany := int64(maxInt + 1) // a variable: an int of 32 bits has no such constant
	many := make([]int64, 64)    // of three digits: 255 characters with their commas
	for i := range many {
		many[i] = 100
	}
	for _, tt := range []struct {
		widest, wider func(*Job)
		refusal       string
	}{
		{func(j *Job) { j.Name = text(255) }, func(j *Job) { j.Name = text(256) }, "name has 256 characters, must have 1 to 255"},
		{func(j *Job) { j.Author = text(64) }, func(j *Job) { j.Author = text(65) }, "author has 65 characters, must have 1 to 64"},
		{func(j *Job) { j.AlarmEmail = text(255) }, func(j *Job) { j.AlarmEmail = text(256) }, "alarmEmail has 256 characters, must have 0 to 255"},
		{func(j *Job) { j.ScheduleConf = text(128) }, func(j *Job) { j.ScheduleConf = text(129) }, "scheduleConf has 129 characters, must have 0 to 128"},
		{func(j *Job) { j.Handler = text(255) }, func(j *Job) { j.Handler = text(256) }, "executorHandler has 256 characters, must have 0 to 255"},
		{func(j *Job) { j.Param = text(16383) + "abc" }, func(j *Job) { j.Param = text(16384) }, "executorParam has 65536 bytes, must have at most 65535"},
		{func(j *Job) { j.GlueRemark = text(128) }, func(j *Job) { j.GlueRemark = text(129) }, "glueRemark has 129 characters, must have 0 to 128"},
		{func(j *Job) { j.ChildIDs = many }, func(j *Job) { j.ChildIDs = append([]int64{1000}, many[1:]...) }, "childJobIds has 256 characters with its commas, must have at most 255"},
		{func(j *Job) { j.Timeout = maxInt * time.Second }, func(j *Job) { j.Timeout = (maxInt + 1) * time.Second }, "executorTimeout is 596523h14m8s, must be at most 2147483647 seconds"},
		{func(j *Job) { j.RetryCount = maxInt }, func(j *Job) { j.RetryCount = int(tooMany) }, "executorFailRetryCount is 2147483648, must be 0 to 2147483647"},
	} {
		require.NoError(t, fits(tt.widest).Validate(), tt.refusal)
		require.EqualError(t, fits(tt.wider).Validate(), tt.refusal)
	}
}

func TestAGroupWithMoreAddressesThanARowHasRoomForIsRefused(t *testing.T) {
	g := &Group{AppName: "some-app", Title: "t", AddressType: AddressManual}
	for range 4095 {
		g.Addresses = append(g.Addresses, "http://a:100001") // 16 bytes with its comma
	}
	require.NoError(t, g.Validate())
	g.Addresses = append(g.Addresses, "http://a:1000011")
	require.EqualError(t, g.Validate(), "addressList has 65536 bytes with its commas, must have at most 65535")
}

func TestOnlyAnotherScheduleMovesTheNextDueTime(t *testing.T) {
	is := Job{Name: "job", ScheduleType: ScheduleFixDelay, ScheduleConf: "30", Running: true, TriggerNext: time.Unix(100, 0)}
	waiting, off := is, is
	waiting.TriggerNext, off.Running = AfterRun, false
	for _, tt := range []struct {
		name   string
		before Job
		change func(*Job)
		want   bool
	}{
		{"another name", is, func(j *Job) { j.Name = "other" }, false},
		{"another delay", is, func(j *Job) { j.ScheduleConf = "60" }, true},
		{"another type", is, func(j *Job) { j.ScheduleType = ScheduleFixRate }, true},
		{"another zone", is, func(j *Job) { j.Settings.Zone = "Asia/Tokyo" }, true},
		{"another delay while a run is in progress", waiting, func(j *Job) { j.ScheduleConf = "60" }, false},
		{"another type while a run is in progress", waiting, func(j *Job) { j.ScheduleType = ScheduleFixRate }, true},
		{"off", off, func(j *Job) { j.ScheduleConf = "60" }, false},
		{"switched off", is, func(j *Job) { j.ScheduleConf, j.Running = "60", false }, false},
		{"switched on", off, func(j *Job) { j.ScheduleConf, j.Running = "60", true }, false},
	} {
		after := tt.before
		tt.change(&after)
		require.Equal(t, tt.want, tt.before.RescheduledBy(&after), tt.name)
	}
}

func TestAPurgeThatSelectsNothingIsRefused(t *testing.T) {
	for _, tt := range []struct {
		purge LogPurge
		want  string
	}{
		{LogPurge{JobID: -1}, "jobId is -1, must not be negative"},
		{LogPurge{GroupID: -1}, "jobGroup is -1, must not be negative"},
		{LogPurge{KeepNewest: -1}, "keepNewest is -1, must not be negative"},
		{LogPurge{Before: time.Date(1970, 12, 31, 0, 0, 0, 0, time.UTC)}, "before is 1970-12-31T00:00:00Z, must be after 1970"},
	} {
		require.EqualError(t, tt.purge.Validate(), tt.want)
	}
	require.NoError(t, LogPurge{}.Validate())
	require.NoError(t, LogPurge{JobID: 1, GroupID: 1, KeepNewest: 1, Before: time.Date(1971, 1, 1, 0, 0, 0, 0, time.UTC)}.Validate())
}

func TestAChildOfAnEditThatIsNotThereIsRefused(t *testing.T) {
	for _, child := range []int64{-1, -3, math.MinInt64} { // -1 names the edit itself
		err := CheckJobEdits([]JobEdit{{Act: ActCreate, Job: &Job{ChildIDs: []int64{child}}}, {Act: ActRemove, Job: &Job{ID: 1}}}, true)
		var refused *Error
		require.ErrorAs(t, err, &refused, "%d", child)
		require.Equal(t, CodeInvalid, refused.Code)
	}
}
