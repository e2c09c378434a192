package admin

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

func TestATestOfTheAlarmsSaysWhatBecameOfEachChannel(t *testing.T) {
	var asked []string
	s := siteWith(t, func(o *Options) {
		o.TestAlarms = func(_ context.Context, emails []string) AlarmTest {
			asked = emails
			return AlarmTest{Alarm: "test-1", Channels: []AlarmDelivery{
				{Channel: "mail", Result: AlarmResultSent, Took: 7}, {Channel: "slack", Result: AlarmResultFailed, Error: "refused"},
			}}
		}
	})
	status, answer := s.do("POST", "/api/v1/alarms/test", testToken, `{"emails":["ops@example.org"]}`)
	require.Equal(t, http.StatusOK, status, answer)
	require.JSONEq(t, `{"alarm":"test-1","channels":[{"channel":"mail","result":"SENT","tookMs":7},
		{"channel":"slack","result":"FAILED","error":"refused","tookMs":0}]}`, answer)
	require.Equal(t, []string{"ops@example.org"}, asked)
	rows := s.audit()
	require.Len(t, rows, 1)
	require.Equal(t, "alarm", rows[0].Object.Kind)
	require.Equal(t, `"FAILED"`, string(rows[0].Changes[2].After))

	asked = nil
	tooMany := `{"emails":["a@b"` + strings.Repeat(`,"a@b"`, maxTestEmails) + `]}`
	for body, message := range map[string]string{
		`{"emails":"ops"}`:          "emails is a JSON string, must be a list",
		`{"emails":[1]}`:            "must be a",
		`{"emails":["ops"]}`:        `emails contains \"ops\", must be an address such as ops@example.org`,
		`{"channel":"mail"}`:        `unknown field \"channel\"`,
		tooMany:                     fmt.Sprintf("emails has %d entries, must have at most %d", maxTestEmails+1, maxTestEmails),
		`{"emails":[],"emails":[]}`: "emails is given twice",
	} {
		status, answer := s.do("POST", "/api/v1/alarms/test", testToken, body)
		require.Equal(t, http.StatusBadRequest, status, body)
		require.Contains(t, answer, message)
	}
	require.Nil(t, asked)
	require.Len(t, s.audit(), 1)

	status, answer = newSite(t).do("POST", "/api/v1/alarms/test", testToken, ``)
	require.Equal(t, http.StatusOK, status, answer)
	require.JSONEq(t, `{"alarm":"","channels":[]}`, answer)
}

// TestATestOfTheAlarmsIsAuditedOnceAlthoughAnAnswerIsLost checks that it is sent once and has one
// row, whether or not the append whose answer was lost has happened.
func TestATestOfTheAlarmsIsAuditedOnceAlthoughAnAnswerIsLost(t *testing.T) {
	for _, happens := range []bool{false, true} {
		sent, trail := 0, &forgetfulTrail{happens: happens}
		s := siteWith(t, func(o *Options) {
			trail.Store = o.Store.(*memstore.Store)
			o.Store = trail
			o.TestAlarms = func(context.Context, []string) AlarmTest {
				sent++
				return AlarmTest{Alarm: "test-1"}
			}
		})
		for rows := range 2 { // the row of an earlier test is not taken for that of a later one
			trail.lost = 1
			status, answer := s.do("POST", "/api/v1/alarms/test", testToken, "")
			require.Equal(t, http.StatusOK, status, answer)
			require.Equal(t, rows+1, sent)
			require.Len(t, s.audit(), rows+1)
		}
	}
}

func TestOneTestOfTheAlarmsRunsAtATime(t *testing.T) {
	began, end := make(chan struct{}), make(chan struct{})
	s := siteWith(t, func(o *Options) {
		o.TestAlarms = func(context.Context, []string) AlarmTest {
			close(began)
			<-end
			return AlarmTest{Alarm: "test-1"}
		}
	})
	first := make(chan int)
	go func() {
		status, _ := s.do("POST", "/api/v1/alarms/test", testToken, "")
		first <- status
	}()
	<-began
	status, answer := s.do("POST", "/api/v1/alarms/test", testToken, "")
	require.Equal(t, http.StatusTooManyRequests, status, answer)
	close(end)
	require.Equal(t, http.StatusOK, <-first)
}
