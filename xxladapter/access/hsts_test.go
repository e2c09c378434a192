package access

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStrictTransport(t *testing.T) {
	handler := StrictTransport(http.NotFoundHandler())
	for host, want := range map[string]string{
		"jobs.example.org": "max-age=31536000", "jobs.example.org:8443": "max-age=31536000", "10.0.0.7:8443": "max-age=31536000",
		"localhost": "", "localhost:8443": "", "127.0.0.1:8443": "", "[::1]:8443": "",
		"[::1]": "", "::1": "", "LOCALHOST:8443": "",
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		require.Equal(t, want, w.Header().Get("Strict-Transport-Security"), host)
	}
}
