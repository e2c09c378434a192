package sample

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestARedirectDoesNotTakeATokenAway checks the call by which the sample executor asks whether an
// admin accepts its token.
func TestARedirectDoesNotTakeATokenAway(t *testing.T) {
	called := false
	to := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true }))
	defer to.Close()
	from := httptest.NewServer(http.RedirectHandler(to.URL, http.StatusTemporaryRedirect))
	defer from.Close()
	require.NoError(t, checkAdmin(t.Context(), from.URL, "s3cr3t"), "it may answer later")
	require.False(t, called)
}
