package wire

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTrafficOfJobCalls checks the job calls of G4, field by field.
func TestTrafficOfJobCalls(t *testing.T) {
	fields := JobFields{
		Name: "nightly", Author: "ops", AlarmEmail: "ops@example.org",
		ScheduleType: "CRON", ScheduleConf: "0 0 2 * * ?", MisfireStrategy: "DO_NOTHING",
		RouteStrategy: "ROUND", Handler: "nightly", Param: "a=1", BlockStrategy: "SERIAL_EXECUTION", Timeout: 60, FailRetryCount: 2,
		GlueType: "BEAN", GlueRemark: "first",
	}
	changed := fields
	changed.Name, changed.ScheduleConf = "nightly at three", "0 0 3 * * ?"
	for op, c := range map[string]struct{ got, want any }{
		OpAddJob:     {&AddJob{}, &AddJob{JobGroup: 1, JobFields: fields}},
		OpUpdateJob:  {&UpdateJob{}, &UpdateJob{ID: 12, JobFields: changed}},
		OpRemoveJob:  {&JobID{}, &JobID{ID: 12}},
		OpStartJob:   {&JobID{}, &JobID{ID: 12}},
		OpStopJob:    {&JobID{}, &JobID{ID: 12}},
		OpTriggerJob: {&TriggerJob{}, &TriggerJob{ID: 12, Param: "once", AddressList: "http://10.0.0.7:9999/,http://10.0.0.8:9999/"}},
	} {
		r, body := readRequest(t, "g4/"+op)
		require.NoError(t, Decode(body, c.got), op)
		require.Equal(t, c.want, c.got, op)
		require.Equal(t, AdminPath+op, r.URL.Path)
		require.Equal(t, http.MethodPost, r.Method)
		require.NotEmpty(t, r.Header.Get(HeaderToken))
		require.NotEmpty(t, r.Header.Get(HeaderAppName))
	}
	reply, err := DecodeReply(readReply(t, "g4/addJob"))
	require.NoError(t, err)
	require.Equal(t, OK().WithPayload("12"), reply)
	reply, err = DecodeReply(readReply(t, "g4/addJob-toomany"))
	require.NoError(t, err)
	require.Equal(t, Reply{Code: CodeTooMany, Msg: MsgTooMany}, reply)
}

func FuzzAddJob(f *testing.F)     { fuzzDecoder(f, asJSON[AddJob]) }
func FuzzUpdateJob(f *testing.F)  { fuzzDecoder(f, asJSON[UpdateJob]) }
func FuzzJobID(f *testing.F)      { fuzzDecoder(f, asJSON[JobID]) }
func FuzzTriggerJob(f *testing.F) { fuzzDecoder(f, asJSON[TriggerJob]) }
