package recorded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAnExchangeIsSplitBehindTheRequest(t *testing.T) {
	const request = "POST /beat HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
	const reply = "HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\ngone"
	folder := t.TempDir()
	file := filepath.Join(folder, "3.4.2", "admin-to-executor", "beat-404.http")
	require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
	require.NoError(t, os.WriteFile(file, []byte(request+reply), 0o600))

	e := One(t, folder, "3.4.2", "admin-to-executor", "beat-404")
	require.Equal(t, "3.4.2 admin-to-executor beat-404", e.String())
	require.Equal(t, request, string(e.Sent))
	require.Equal(t, "/beat", e.Request.URL.Path)
	require.Equal(t, "{}", string(e.Body))
	require.Equal(t, 404, e.Status)
	require.Equal(t, "gone", string(e.Reply))
	all := All(t, folder)
	require.Len(t, all, 1)
	require.Equal(t, e.Sent, all[0].Sent)

	_, err := parse([]byte(request))
	require.Error(t, err, "no reply")
}
