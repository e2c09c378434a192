package wire

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestIntIsLenientLikeGson expects the values that GsonTool.java returns in XXL-JOB 2.4.2 to 3.4.2.
func TestIntIsLenientLikeGson(t *testing.T) {
	for _, c := range []struct {
		text string
		want Int
		bad  bool
	}{
		{text: "9", want: 9},
		{text: "-9", want: -9},
		{text: "0", want: 0},
		{text: "1767225600123", want: 1767225600123},
		{text: "9223372036854775807", want: 1<<63 - 1},
		{text: "-9223372036854775808", want: -1 << 63},

		// In a string.
		{text: `"9"`, want: 9},
		{text: `"-9"`, want: -9},
		{text: `"9.0"`, want: 9},

		// Floats without a fraction.
		{text: "1.0", want: 1},
		{text: "1e3", want: 1000},
		{text: "1.5e1", want: 15},
		{text: "-0.0", want: 0},
		{text: "-7.0", want: -7},
		{text: "9007199254740992.0", want: 1 << 53},
		{text: "-9007199254740992.0", want: -1 << 53},

		// Null is 0.
		{text: "null", want: 0},

		// Fractions, other types, and values beyond 64 bits.
		{text: "9.5", bad: true},
		{text: `"9.5"`, bad: true},
		{text: `""`, bad: true},
		{text: `"nine"`, bad: true},
		{text: `"NaN"`, bad: true},
		{text: `"Infinity"`, bad: true},
		{text: `"0x10"`, bad: true},
		{text: `"0x1p4"`, bad: true},
		{text: `"1_000"`, bad: true},
		{text: "true", bad: true},
		{text: "{}", bad: true},
		{text: "[1]", bad: true},
		{text: "9223372036854775808", bad: true},
		{text: "1e300", bad: true},
		// Above 2^53 a float may have been any of several integers.
		{text: "9007199254740994.0", bad: true},
		{text: "-9007199254740994.0", bad: true},
	} {
		var req KillRequest
		err := Decode([]byte(`{"jobId":`+c.text+`}`), &req)
		if c.bad {
			require.Error(t, err, c.text)
			require.NotContains(t, err.Error(), "\n")
			continue
		}
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, req.JobID, c.text)
	}
}

func TestDecodeIsLenient(t *testing.T) {
	for _, text := range []string{
		`{"jobId":7,"more":{"jobId":8,"a":[1,{"b":null}]}}`, // unknown fields, nested
		" \r\n\t{\"jobId\":7} \n",                           // surrounding space
		`{"jobId":7,"executorParams":null,"executorHandler":null,"glueUpdatetime":null}`,
		`{"glueType":"BEAN","logId":null,"jobId":"7"}`, // any order
	} {
		var req RunRequest
		require.NoError(t, Decode([]byte(text), &req), text)
		require.EqualValues(t, 7, req.JobID)
		require.Empty(t, req.Params)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "empty body",
		" \n":                    "empty body",
		"null":                   "body is null",
		"[]":                     "body is a JSON array, must be an object",
		`"x"`:                    "body is a JSON string, must be an object",
		"7":                      "body is a JSON number, must be an object",
		`{"executorHandler":{}}`: "executorHandler is a JSON object, must be a string",
		`{"jobId":9.5}`:          "9.5 is not an integer",
		`{"jobId":1}{`:           "invalid character '{' after top-level value",
		"{":                      "unexpected end of JSON input",
	} {
		require.EqualError(t, Decode([]byte(text), new(RunRequest)), want, text)
	}
	require.EqualError(t, Decode([]byte(`[{"logId":{}}]`), new(Callbacks)), "{} is not an integer")
	require.EqualError(t, Decode([]byte(`{"callbackList":7}`), new(Callbacks)), "callbackList is a JSON number, must be a list")
	require.EqualError(t, Decode([]byte(`7`), new(Callbacks)), "body is a JSON number, must be a list")
	require.EqualError(t, Decode([]byte(`{"logId":"x"}`), new(LogRequest)), `"x" is not an integer`)
	require.Error(t, Decode([]byte(strings.Repeat("[", 1<<20)), new(Callbacks)), "deep nesting is refused, not a crash")
}

func TestCallbackFallsBackOnExecuteResult(t *testing.T) {
	for text, want := range map[string]Callback{
		`{"logId":1,"executeResult":{"code":500,"msg":"boom"}}`:                               {LogID: 1, HandleCode: 500, HandleMsg: "boom"},
		`{"logId":1,"handleCode":0,"executeResult":{"code":200,"msg":null}}`:                  {LogID: 1, HandleCode: 200},
		`{"logId":1,"handleCode":0,"handleMsg":"own","executeResult":{"code":500,"msg":"x"}}`: {LogID: 1, HandleCode: 500, HandleMsg: "own"},
		`{"logId":1,"handleCode":200,"executeResult":{"code":500,"msg":"x"}}`:                 {LogID: 1, HandleCode: 200},
		`{"logId":1,"executeResult":{"code":200,"msg":{"rows":3}}}`:                           {LogID: 1, HandleCode: 200, HandleMsg: `{"rows":3}`},
		`{"logId":1,"executeResult":null}`:                                                    {LogID: 1},
		`{"logId":1,"handleCode":200,"handleMsg":7}`:                                          {LogID: 1, HandleCode: 200, HandleMsg: "7"},
		`{"logId":1,"handleCode":200,"handleMsg":{"a":1}}`:                                    {LogID: 1, HandleCode: 200, HandleMsg: `{"a":1}`},
		`{"logId":1,"logDateTim":5,"logDateTime":6,"handleCode":200}`:                         {LogID: 1, LogTime: 6, HandleCode: 200},
		`{"logId":1,"logDateTim":"5","handleCode":200.0}`:                                     {LogID: 1, LogTime: 5, HandleCode: 200},
		`{}`: {},
	} {
		var got Callbacks
		require.NoError(t, Decode([]byte("["+text+"]"), &got), text)
		require.Equal(t, Callbacks{want}, got, text)
		require.NoError(t, Decode([]byte(`{"callbackList":[`+text+"]}"), &got), text)
		require.Equal(t, Callbacks{want}, got, text)
	}
}

// TestDecodeReply checks the replies of each generation: payload in content (XXL-JOB 2.4.2,
// ReturnT.java), in data (3.4.2, Response.java of xxl-tool), and in both.
func TestDecodeReply(t *testing.T) {
	for text, want := range map[string]Reply{
		`{"code":200}`:                           {Code: 200},
		"\ufeff" + `{"code":200}`:                {Code: 200}, // as from .NET
		"\ufeff" + `[{"handleCode":200}]`:        {Code: 200},
		`{"code":"200"}`:                         {Code: 200},
		`{"code":200.0,"msg":null,"data":null}`:  {Code: 200},
		`{"code":200,"content":1,"data":null}`:   Reply{Code: 200}.WithPayload(1),
		`{"code":200,"content":null,"data":2}`:   Reply{Code: 200}.WithPayload(2),
		`{"code":200,"content":1,"data":2}`:      Reply{Code: 200}.WithPayload(2),
		`{"code":500,"msg":{"a":1},"success":0}`: {Code: 500, Msg: `{"a":1}`},
		`[{"handleCode":500,"handleMsg":"x"},7]`: {},
		`[{"handleCode":500,"handleMsg":"x"}]`:   Fail("x"),
		`[{"handleCode":200}]`:                   {Code: 200},
		" \n[{\"handleCode\":200}]\n":            {Code: 200},
		`[{"handleCode":"x"}]`:                   {},
		`[7]`:                                    {},
	} {
		got, err := DecodeReply([]byte(text))
		if want.Code == 0 {
			require.Error(t, err, text)
			require.NotErrorIs(t, err, ErrNoCode, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}

	// A reply without a code counts as a failure, and keeps the text that it has.
	for text, msg := range map[string]string{
		`{}`:                       "",
		`{"msg":"ok"}`:             "ok",
		`{"code":null,"msg":"ok"}`: "ok",
		`[]`:                       "[]",
		`[{"logId":1}]`:            `[{"logId":1}]`,
	} {
		got, err := DecodeReply([]byte(text))
		require.ErrorIs(t, err, ErrNoCode, text)
		require.Equal(t, Fail(msg), got, text)
	}

	// A body that is not a reply gives an error and no reply.
	for _, text := range []string{"", " ", "null", "7", `"x"`, "<html>", "{", `{"code":{}}`, `{"code":9.5}`} {
		got, err := DecodeReply([]byte(text))
		require.Error(t, err, text)
		require.NotErrorIs(t, err, ErrNoCode, text)
		require.Zero(t, got, text)
	}
	long, err := DecodeReply([]byte(`[{"x":"` + strings.Repeat("y", 300) + `"}]`))
	require.ErrorIs(t, err, ErrNoCode)
	require.Len(t, long.Msg, 203)
}
