package xxladapter

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSettingsAreRefusedWithFieldValueAndRule(t *testing.T) {
	tests := []struct {
		settings Settings
		message  string
	}{
		{Settings{Zone: "Mars/Base"}, `zone is "Mars/Base", must be an IANA time zone such as Europe/Berlin`},
		{Settings{Zone: "Local"}, `zone is "Local", must be an IANA time zone such as Europe/Berlin`},
		{Settings{MisfireWindow: -1}, "misfireWindowMs is -1, must be 0 to 315360000000"},
		{Settings{MisfireSpacing: 3600_001}, "misfireSpacingMs is 3600001, must be 0 to 3600000"},
		{Settings{RetryBackoff: math.MaxInt64}, "retryBackoffMs is 9223372036854775807, must be 0 to 86400000"},
		{Settings{RetryBackoffLimit: -5}, "retryBackoffLimitMs is -5, must be 0 to 604800000"},
		{Settings{MisfireLimit: 1001}, "misfireLimit is 1001, must be 0 to 1000"},
		{Settings{AlarmAfter: -1}, "alarmAfter is -1, must be 0 to 1000"},
		{Settings{AlarmOn: AlarmInARow}, "alarmAfter is 0, must be 1 to 1000 with alarmOn IN_A_ROW"},
		{Settings{Ambiguous: "GUESS"}, `ambiguous is "GUESS", must be one of PROBE, SKIP, RESEND`},
		{Settings{AlarmOn: "LOUD"}, `alarmOn is "LOUD", must be one of EACH, LAST_RETRY, IN_A_ROW, NEVER`},
		{Settings{KeepLogs: "SOME"}, `keepLogs is "SOME", must be one of ALL, FAILURES`},
	}
	for _, tt := range tests {
		j := Job{Name: "n", Author: "a", Handler: "h", Settings: tt.settings}
		j.SetDefaults()
		err := j.Validate()
		var refused *Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, CodeInvalid, refused.Code)
		require.Equal(t, tt.message, refused.Message)
	}
	j := Job{Name: "n", Author: "a", Handler: "h"}
	j.SetDefaults()
	require.NoError(t, j.Validate())
}

func TestSettingsSurviveTheirText(t *testing.T) {
	s := Settings{
		Zone: "Asia/Shanghai", MisfireWindow: 1, MisfireLimit: 2, MisfireSpacing: 3, Ambiguous: AmbiguousResend,
		RetryBackoff: 4, RetryBackoffLimit: 5, AlarmOn: AlarmInARow, AlarmAfter: 6, AlarmRecovered: true, KeepLogs: KeepFailures,
	}
	for _, j := range []Job{{}, {Settings: s}, {Tags: []string{"a", "b"}}, {Settings: s, Tags: []string{"a \"quoted\" one", "二"}}} {
		read := Job{Settings: s, Tags: []string{"old"}}
		read.ParseSettings(j.SettingsText())
		require.Equal(t, j, read)
	}
	require.Equal(t, s.Text(), (&Job{Settings: s}).SettingsText(), "without tags as before there were any")
	require.Empty(t, new(Job).SettingsText())
	for _, broken := range []string{`{"zone": 5}`, `{"zone": "UTC", "misfireLimit": "x"}`, `{"zone": "UTC", "tags": "a"}`} {
		j := Job{Settings: s, Tags: []string{"old"}}
		j.ParseSettings(broken)
		require.Zero(t, j, "a broken text is none, and never half of one: %s", broken)
	}
}

func TestTagsAreASetOfShortWords(t *testing.T) {
	j := Job{Name: "n", Author: "a", Handler: "h"}
	j.SetDefaults()
	j.SetTags([]string{"b", "a", "b"})
	require.Equal(t, []string{"a", "b"}, j.Tags)
	require.NoError(t, j.Validate())
	for _, tag := range []string{"", " ", " a", "a ", "a,b", "a\nb", "a\xff", strings.Repeat("长", 65)} {
		j.Tags = []string{tag}
		require.ErrorContains(t, j.Validate(), "tags", "%q", tag)
	}
	j.Tags = []string{strings.Repeat("长", 64), "team: billing", "一 二"}
	require.NoError(t, j.Validate())
	j.Tags = make([]string, MaxTags+1)
	require.ErrorContains(t, j.Validate(), "tags has 21 entries, must have at most 20")
	j.SetTags(nil)
	require.Nil(t, j.Tags)
}

func TestMillisecondsAreCutToWhatADurationHolds(t *testing.T) {
	require.Equal(t, 1500*time.Millisecond, Milliseconds(1500).Duration())
	require.Positive(t, Milliseconds(math.MaxInt64).Duration())
	require.Negative(t, Milliseconds(math.MinInt64).Duration())
}

func TestZoneOf(t *testing.T) {
	schedulers := time.FixedZone("schedulers", 3600)
	zone, err := ZoneOf("", schedulers)
	require.NoError(t, err)
	require.Same(t, schedulers, zone)
	zone, err = ZoneOf("Asia/Tokyo", schedulers)
	require.NoError(t, err)
	require.Equal(t, "Asia/Tokyo", zone.String())
	for _, bad := range []string{"Mars/Base", "Local", "local"} {
		_, err := ZoneOf(bad, schedulers)
		require.EqualError(t, err, `zone is "`+bad+`", must be an IANA time zone such as Europe/Berlin`)
	}
}
