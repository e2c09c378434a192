package trigger

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestALongLogIsReadInParts reads the log of an executor that replies with all lines from the
// requested one on, as those of XXL-JOB do. One line is longer than what is read of a reply.
func TestALongLogIsReadInParts(t *testing.T) {
	const token = "the-token-of-executors"
	var lines []string
	for _, line := range []string{"<i>short</i>\n", strings.Repeat("x", 999) + "\n", strings.Repeat("汉", 333) + "\n"} {
		for range 6_000 {
			lines = append(lines, line)
		}
	}
	long := len(lines)
	lines = append(lines, strings.Repeat(token+"😀", wire.MaxBody/10)+"\n", "last, "+token+"\n")
	replies := 0
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req wire.LogRequest
		_ = json.NewDecoder(r.Body).Decode(&req)
		replies++
		result := wire.LogResult{FromLine: req.FromLine}
		if int(req.FromLine) <= len(lines) {
			result.ToLine = wire.Int(len(lines))
			result.Content = strings.Join(lines[req.FromLine-1:], "")
		}
		_ = json.NewEncoder(w).Encode(struct {
			Code int            `json:"code"`
			Data wire.LogResult `json:"data"`
		}{200, result})
	}))
	defer exec.Close()
	c := client(t, ClientOptions{AccessToken: token, Timeout: time.Minute})
	var got []string
	for from := wire.Int(1); ; {
		page, err := c.Log(t.Context(), exec.URL, "app", wire.LogRequest{LogID: 7, FromLine: from})
		require.NoError(t, err)
		if page.Content == "" {
			break
		}
		require.False(t, page.End)
		require.Equal(t, from, page.FromLine)
		for line := range strings.Lines(page.Content) {
			got = append(got, line)
		}
		require.Len(t, got, int(page.ToLine))
		from = page.ToLine + 1
	}
	require.Less(t, replies, 10, "nearly 5 MiB at a time")
	require.True(t, strings.HasPrefix(got[long], "***😀***😀"))
	require.True(t, strings.HasSuffix(got[long], "...\n"))
	require.NotContains(t, got[long], token[:8])
	require.Equal(t, "last, ***\n", got[long+1])
	require.Equal(t, lines[:long], got[:long])
}

// TestAReplyThatIsTooLongSaysSo checks replies that cannot be read in parts.
func TestAReplyThatIsTooLongSaysSo(t *testing.T) {
	exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"code":200,"msg":"` + strings.Repeat("x", wire.MaxBody) + `"}`))
	}))
	defer exec.Close()
	c := client(t, ClientOptions{})
	require.ErrorContains(t, c.Beat(t.Context(), exec.URL), "has more than 5242880 bytes")
	_, err := c.Run(t.Context(), exec.URL, "app", &wire.RunRequest{})
	require.ErrorContains(t, err, "has more than 5242880 bytes")
	require.ErrorIs(t, err, ErrOutcomeUnknown)
	_, err = c.Log(t.Context(), exec.URL, "app", wire.LogRequest{FromLine: 1})
	require.ErrorContains(t, err, "has more than 5242880 bytes")
}
