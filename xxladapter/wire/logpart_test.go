package wire

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDecodeLogPart cuts replies of each generation after each of their bytes. The lines that are
// left have to be whole, and the line after the last one has to be the first that is missing.
func TestDecodeLogPart(t *testing.T) {
	lines := []string{"one\n", "\n", "a \"b\" \\ <c> \t\n", "汉 😀 \u0001\n", "five\r\n", "six\n"}
	text := strings.Join(lines, "")
	plain, err := json.Marshal(text)
	require.NoError(t, err)
	escaped := `"one\n\na \"b\" \\ \u003cc\u003e \t\n\u6c49 \ud83d\ude00 \u0001\nfive\r\nsix\n"`
	for _, reply := range []string{
		`{"code":200,"content":{"fromLineNum":3,"toLineNum":8,"logContent":` + escaped + `,"isEnd":false}}`,
		`{"code":200,"msg":"Success","content":{"fromLineNum":3,"toLineNum":8,"logContent":` + string(plain) + `,"isEnd":false}}`,
		`{"code":200,"msg":"Success","data":{"fromLineNum":3,"toLineNum":8,"logContent":` + string(plain) + `,"isEnd":true}}`,
		`{"msg":null,"content":null,"data" : {"logContent" : ` + string(plain) + `,"x":{"logContent":"no"},"toLineNum":"8"},"code":200}`,
		`{"content":{"isEnd":false,"logContent":` + escaped + `,"toLineNum":8},"data":null,"code":200}`,
	} {
		whole, err := DecodeReply([]byte(reply))
		require.NoError(t, err)
		var want LogResult
		require.NoError(t, Decode(whole.Payload, &want))
		require.Equal(t, text, want.Content)
		seen := map[int]bool{}
		for end := range len(reply) + 1 {
			got, err := DecodeLogPart([]byte(reply[:end]), 3)
			if err != nil {
				require.Less(t, end, strings.Index(reply, "logContent")+len(`logContent" : "`), reply[:end])
				continue
			}
			require.Equal(t, Int(3), got.FromLine)
			require.False(t, got.End)
			n := strings.Count(got.Content, "\n")
			seen[n] = true
			if n == 0 {
				require.True(t, strings.HasPrefix(lines[0], got.Content), got.Content)
				require.Equal(t, Int(3), got.ToLine)
				continue
			}
			require.Equal(t, strings.Join(lines[:n], ""), got.Content, reply[:end])
			require.Equal(t, Int(3+n-1), got.ToLine, reply[:end])
		}
		require.Len(t, seen, len(lines)+1)
	}
}

// TestDecodeLogPartOfOtherReplies checks what is no log, or the log of an executor that does not
// count lines: it must not be read forever.
func TestDecodeLogPartOfOtherReplies(t *testing.T) {
	for _, text := range []string{
		"", "<html>", "[", "{", `{"code":200}`, `{"code":200,"data":"x`, `{"code":200,"data":{"logContent":7,"x`,
		`{"code":200,"data":{"logContent":"` + "\n", `{"code":500,"msg":"no","data":{"logContent":"x\n`,
	} {
		_, err := DecodeLogPart([]byte(text), 1)
		require.Error(t, err, text)
	}
	for _, text := range []string{
		`{"code":200,"data":{"fromLineNum":1,"logContent":"a\nb\nc`,
		`{"code":200,"data":{"toLineNum":2,"logContent":"a\nb\nc`,
	} {
		got, err := DecodeLogPart([]byte(text), 3)
		require.NoError(t, err)
		require.Equal(t, Int(2), got.ToLine, "nothing from line 3 on")
	}
	marked, err := DecodeLogPart([]byte("\ufeff"+`{"code":200,"data":{"logContent":"a\nb`), 1)
	require.NoError(t, err)
	require.Equal(t, "a\n", marked.Content)
	for text, want := range map[string]string{
		`😀\ud83d\ude`: "😀", `😀\ud83d\`: "😀", `😀\ud83d`: "😀", `😀\uD83D`: "😀", `\ud83d\ude00`: "😀",
		"a汉"[:2]: "a", "a汉"[:3]: "a", "a汉": "a汉", "a😀"[:4]: "a", "汉"[:1]: "", `\u6c49`: "汉", `\ud83d"`: "\ufffd",
		"a\xff": "a\ufffd", "a\x80\x80\x80\x80": "a\ufffd\ufffd\ufffd\ufffd", `\\ud83d`: `\ud83d`,
	} {
		part, err := DecodeLogPart([]byte(`{"code":200,"data":{"logContent":"`+text), 4)
		require.NoError(t, err, text)
		require.Equal(t, LogResult{FromLine: 4, ToLine: 4, Content: want}, part, text)
	}
}
