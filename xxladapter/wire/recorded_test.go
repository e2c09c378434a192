package wire

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire/recorded"
)

// The writer of the request. The other side wrote the reply.
const (
	javaExecutor    = "executor-to-scheduler"
	ourScheduler    = "scheduler-to-executor"
	javaAdmin       = "admin-to-executor"
	javaAdminClient = "adminclient-to-executor"
	ourExecutor     = "executor-to-admin"
	ourTest         = "questions-to-admin"
)

func recordings(t *testing.T) []recorded.Exchange {
	t.Helper()
	all := recorded.All(t, "testdata/recorded")
	for _, e := range all {
		require.Equal(t, http.StatusOK, e.Status, e)
	}
	return all
}

// messageOf returns the value that the body of the request is decoded into, or nil for a request
// without a body.
func messageOf(r recorded.Exchange) any {
	switch path.Base(r.Request.URL.Path) {
	case "registry", "registryRemove":
		return &Registry{}
	case "callback":
		return &Callbacks{}
	case "run":
		return &RunRequest{}
	case "idleBeat":
		return &IdleBeatRequest{}
	case "kill":
		return &KillRequest{}
	case "log":
		return &LogRequest{}
	}
	return nil
}

// TestRecordedRequestsOfJava checks that requests of Java programs are decoded completely: every
// field that they write belongs to a type, and has the value that the program gave it.
func TestRecordedRequestsOfJava(t *testing.T) {
	for _, r := range recordings(t) {
		if !byJava(r) {
			continue
		}
		require.Equal(t, http.MethodPost, r.Request.Method, r)
		require.NotEmpty(t, r.Request.Header.Get(HeaderToken), r)
		message := messageOf(r)
		if message == nil {
			continue
		}
		require.NoError(t, Decode(r.Body, message), r)
		require.Subset(t, keysOf(t, message, encode(t, message)), keysOf(t, message, r.Body), r)
		switch m := message.(type) {
		case *Registry:
			require.Equal(t, AdminContextPath+path.Base(r.Request.URL.Path), r.Request.URL.Path, r)
			require.Equal(t, "EXECUTOR", m.Group, r)
			require.Equal(t, "java-"+r.Release, m.Key, r)
			require.True(t, strings.HasPrefix(m.Value, "http://127.0.0.1:"), r)
		case *Callbacks:
			require.Equal(t, AdminContextPath+OpCallback, r.Request.URL.Path, r)
			for _, c := range *m {
				require.Positive(t, c.LogID, r)
				require.Greater(t, int64(c.LogTime), int64(1_700_000_000_000), r)
				if c.HandleCode == CodeOK {
					require.Regexp(t, `^did (a <b> & 'c')? 0/1$`, c.HandleMsg, r)
				} else {
					require.Equal(t, CodeFail, int(c.HandleCode), r)
					require.Regexp(t, "as asked|"+MsgKilledByAdmin, c.HandleMsg, r)
				}
			}
		case *RunRequest:
			if r.Direction == javaAdminClient || r.Kind == "run-200" {
				require.Equal(t, "a <b> & 'c'", m.Params, r)
			}
			requireTime(t, r, m.LogTime)
			require.Equal(t, "BEAN", string(m.GlueType), r)
			require.EqualValues(t, 1, m.BroadcastTotal, r)
			require.Positive(t, m.JobID, r)
			require.Positive(t, m.LogID, r)
		case *LogRequest:
			requireTime(t, r, m.LogTime)
			require.EqualValues(t, 1, m.FromLine, r)
		}
	}
}

// byJava reports whether a Java program wrote the request.
func byJava(r recorded.Exchange) bool {
	return r.Direction == javaExecutor || r.Direction == javaAdmin || r.Direction == javaAdminClient
}

// requireTime checks the trigger time of a run that an admin sent: the client's is a constant, the
// admin's was the time of the recording.
func requireTime(t *testing.T, r recorded.Exchange, at Int) {
	t.Helper()
	if r.Direction == javaAdminClient {
		require.EqualValues(t, int64(1767225600000), at, r)
		return
	}
	require.Greater(t, int64(at), int64(1767225600000), r)
}

// TestRecordedMessagesOfOurs checks that we still send, byte by byte, what Java programs accepted.
// A change here has to be tried with them, and recorded again.
func TestRecordedMessagesOfOurs(t *testing.T) {
	for _, r := range recordings(t) {
		if r.Direction == ourTest {
			continue
		}
		if !byJava(r) {
			if message := messageOf(r); message != nil {
				require.NoError(t, Decode(r.Body, message), r)
				require.Equal(t, string(r.Body), string(encode(t, message)), r)
			}
			continue
		}
		reply, err := DecodeReply(r.Reply)
		require.NoError(t, err, r)
		again, err := reply.MarshalJSON()
		if r.Direction == javaExecutor {
			again, err = reply.MarshalAdmin()
		}
		require.NoError(t, err)
		require.Equal(t, string(r.Reply), string(again), r)
	}
}

// TestRecordedRepliesOfJava checks that the replies of Java executors are decoded.
func TestRecordedRepliesOfJava(t *testing.T) {
	for _, r := range recordings(t) {
		if r.Direction != ourScheduler {
			continue
		}
		reply, err := DecodeReply(r.Reply)
		require.NoError(t, err, r)
		var log LogResult
		switch r.Kind {
		case "beat-200", "run-200", "kill-200":
			require.Equal(t, CodeOK, reply.Code, r)
		case "idleBeat-500-busy":
			require.Equal(t, Fail(MsgBusy), reply, r)
		case "log-200":
			require.NoError(t, Decode(reply.Payload, &log), r)
			require.Contains(t, log.Content, "job execute start", r)
			require.EqualValues(t, 1, log.FromLine, r)
		case "log-200-missing":
			require.NoError(t, Decode(reply.Payload, &log), r)
			require.Contains(t, log.Content, MsgNoLogFile, r)
			require.True(t, log.End, r)
		default:
			t.Errorf("%v: nothing is known of this exchange", r)
		}
	}
}

// TestRecordedRepliesOfJavaAdmins checks that the replies of Java admins are decoded (XXL-JOB
// 2.4.2, JobApiController.java; 3.3.2 and 3.4.2, OpenApiController.java).
func TestRecordedRepliesOfJavaAdmins(t *testing.T) {
	success := func(r recorded.Exchange) Reply {
		if r.Release == "2.4.2" {
			return Reply{Code: CodeOK}
		}
		return OK()
	}
	for _, r := range recordings(t) {
		if r.Direction != ourExecutor && r.Direction != ourTest {
			continue
		}
		reply, err := DecodeReply(r.Reply)
		require.NoError(t, err, r)
		switch kind := r.Kind; {
		case r.Direction == ourExecutor,
			slices.Contains([]string{
				"registry", "registry-unknown-app", "registry-unknown-field", "registryRemove", "registryRemove-again",
				"callback-unknown-run", "callback-none",
			}, kind):
			require.Equal(t, success(r), reply, r)
		case strings.HasSuffix(kind, "-token"):
			require.Equal(t, Fail(MsgWrongToken), reply, r)
		case kind == "registry-get":
			require.Equal(t, Fail(MsgMethod), reply, r)
		case kind == "registry-blank-app", kind == "registry-no-fields":
			require.Equal(t, Fail(MsgIllegal), reply, r)
		case kind == "unknown-operation":
			require.Equal(t, Fail(NotFound("nosuch")), reply, r)
		case kind == "registry-empty" && r.Release != "2.4.2":
			require.Equal(t, Fail(MsgEmptyBody), reply, r)
		default: // the text is that of an exception
			require.Equal(t, CodeFail, reply.Code, r)
			require.NotEmpty(t, reply.Msg, r)
			require.Nil(t, reply.Payload, r)
		}
	}
}

// TestRecordingsAreComplete checks that each release is recorded in each direction. There is no
// recording of a whole admin of 3.2.0.
func TestRecordingsAreComplete(t *testing.T) {
	kinds := map[string]int{}
	for _, r := range recordings(t) {
		kinds[r.Release+" "+r.Direction]++
	}
	want := map[string]int{}
	for _, release := range []string{"2.4.2", "3.2.0", "3.3.2", "3.4.2"} {
		want[release+" "+javaExecutor], want[release+" "+ourScheduler], want[release+" "+javaAdminClient] = 4, 6, 10
		if release != "3.2.0" {
			want[release+" "+javaAdmin], want[release+" "+ourExecutor], want[release+" "+ourTest] = 8, 4, 25
		}
	}
	require.Equal(t, want, kinds)
}

func encode(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	require.NoError(t, err)
	return data
}

// keysOf returns the names of the fields in a body: of an object, or of the objects in a list.
func keysOf(t *testing.T, message any, body []byte) (keys []string) {
	t.Helper()
	objects := make([]map[string]json.RawMessage, 1)
	var err error
	if _, list := message.(*Callbacks); list {
		err = json.Unmarshal(body, &objects)
	} else {
		err = json.Unmarshal(body, &objects[0])
	}
	require.NoError(t, err)
	for _, o := range objects {
		for key := range o {
			keys = append(keys, key)
		}
	}
	return keys
}
