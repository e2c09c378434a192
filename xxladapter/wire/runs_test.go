package wire

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheSizeOfABatch(t *testing.T) {
	for header, want := range map[string]int{
		"1": 1, "100": 100, "256": 256, "257": MaxBatch, "999999999": MaxBatch,
		"": 0, "0": 0, "-1": 0, "yes": 0, "1.5": 0, " 1": 0, "99999999999999999999": 0,
	} {
		require.Equal(t, want, BatchSize(header), header)
	}
}

func TestRepliesToABatch(t *testing.T) {
	all := RunReplies{Code: 200, Msg: "Success", Runs: []RunReply{{1, 200, "Success"}, {2, 500, "no"}}}
	data, err := json.Marshal(all)
	require.NoError(t, err)
	require.JSONEq(t, `{"code":200,"msg":"Success","runs":[{"logId":1,"code":200,"msg":"Success"},{"logId":2,"code":500,"msg":"no"}]}`, string(data))
	got, err := DecodeRunReplies(data)
	require.NoError(t, err)
	require.Equal(t, all, got)

	for text, want := range map[string]RunReplies{
		`{"code":500,"msg":"invalid request, uri-mapping(/runs) not found."}`: {Code: 500, Msg: "invalid request, uri-mapping(/runs) not found."},
		`{"code":"200","msg":null,"runs":[]}`:                                 {Code: 200},
		`{"code":200,"content":null}`:                                         {Code: 200},
		`{}`:                                                                  {Code: 500},
	} {
		got, err := DecodeRunReplies([]byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "null", "[]", "<html>", `{"code":200,"runs":{}}`, `{"code":200,"runs":[{"logId":"x"}]}`} {
		_, err := DecodeRunReplies([]byte(text))
		require.Error(t, err, text)
	}
}

func FuzzDecodeRunReplies(f *testing.F) {
	f.Add([]byte(`{"code":200,"msg":"Success","runs":[{"logId":1,"code":200,"msg":"Success"}]}`))
	f.Add([]byte(`{"code":500}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := DecodeRunReplies(data)
		if err != nil {
			return
		}
		again, err := json.Marshal(r)
		require.NoError(t, err)
		same, err := DecodeRunReplies(again)
		require.NoError(t, err)
		require.Equal(t, r, same)
	})
}
