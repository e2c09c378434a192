package admin

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAnAddressIsDrained(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	const one, two = "http://10.0.0.7:9999/", "http://10.0.0.8:9999/"
	for _, address := range []string{one, two} {
		require.NoError(t, s.store.Register(t.Context(), "some-app", address))
	}
	ask := func(path, body string) (int, string) {
		t.Helper()
		return s.do("POST", "/api/v1/"+path, testToken, body)
	}
	ok := func(path, body string) {
		t.Helper()
		status, answer := ask(path, body)
		require.Equal(t, http.StatusOK, status, answer)
	}
	until := time.Now().Add(time.Hour).UTC().Truncate(time.Millisecond)
	ok("groups/1/drain", `{"address":"`+one+`","note":"upgrade","until":"`+until.Format(time.RFC3339Nano)+`"}`)
	var g groupForm
	s.get("/api/v1/groups/1", &g)
	require.Len(t, g.Drains, 1)
	require.Equal(t, one, g.Drains[0].Address)
	require.Equal(t, "upgrade", g.Drains[0].Note)
	require.Equal(t, "operator", g.Drains[0].By)
	require.Equal(t, until, g.Drains[0].Until.UTC())
	require.Equal(t, []string{one, two}, g.AddressList)

	status, answer := ask("jobs/1/trigger", `{"addressList":["`+one+`"]}`)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, answer, "addressList has drained addresses only")
	ok("jobs/1/trigger", `{"addressList":["`+one+`","`+two+`"]}`)
	ok("groups/1/undrain", `{"address":"`+one+`"}`)
	ok("jobs/1/trigger", `{"addressList":["`+one+`"]}`)
	status, _ = ask("groups/1/undrain", `{"address":"`+one+`"}`)
	require.Equal(t, http.StatusNotFound, status)
	status, _ = ask("groups/77/drain", `{"address":"`+one+`"}`)
	require.Equal(t, http.StatusNotFound, status)

	for body, message := range map[string]string{
		`{}`:                            `address contains \"\", must be http://host:port`,
		`{"address":1}`:                 "address is a JSON number, must be a string",
		`{"address":"10.0.0.7"}`:        "must be http://host:port",
		`{"address":"http://other:1/"}`: `address is \"http://other:1/\", must be an address of group some-app`,
		`{"address":"` + one + `","note":"` + strings.Repeat("x", 256) + `"}`: "note has 256 characters",
		`{"address":"` + one + `","until":"2020-01-01T00:00:00Z"}`:            "must be after now",
		`{"address":"` + one + `","until":"soon"}`:                            "until is",
		`{"address":"` + one + `","for":"2h"}`:                                `unknown field \"for\"`,
	} {
		status, answer := ask("groups/1/drain", body)
		require.Equal(t, http.StatusBadRequest, status, body)
		require.Contains(t, answer, message, body)
	}
	status, answer = s.do("PUT", "/api/v1/groups/1", testToken, `{"drains":[]}`)
	require.Equal(t, http.StatusBadRequest, status)
	require.Contains(t, answer, "read-only")
	g = groupForm{}
	s.get("/api/v1/groups/1", &g)
	require.Empty(t, g.Drains)
}
