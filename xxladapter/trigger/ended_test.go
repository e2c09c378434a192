package trigger

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// serving returns the address of an executor that answers every call with a text, and the calls
// that it got.
func serving(t *testing.T, status int, text string) (addr string, calls *[]string) {
	t.Helper()
	calls = new([]string)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*calls = append(*calls, r.URL.Path)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(srv.Close)
	return srv.URL, calls
}

func TestAnExecutorSpeaksForTheRunsThatItIsAskedFor(t *testing.T) {
	reply, err := json.Marshal(wire.OK().WithPayload(wire.Callbacks{{LogID: 5, HandleCode: 200}, {LogID: 6, HandleCode: 200}, {LogID: 7}}))
	require.NoError(t, err)
	addr, _ := serving(t, http.StatusOK, string(reply))
	c := client(t, ClientOptions{})
	ended, err := c.Ended(t.Context(), addr, "some-app", []*xxladapter.Log{{ID: 5, JobID: 1, TriggerTime: time.Now()}, {ID: 7}, {ID: 8}})
	require.NoError(t, err)
	require.Equal(t, []wire.Callback{{LogID: 5, HandleCode: 200}, {LogID: 7}}, ended)
}

// TestExecutorsThatDoNotKnowTheQuestion checks that such executors settle nothing, and are not
// asked again at once.
func TestExecutorsThatDoNotKnowTheQuestion(t *testing.T) {
	for name, answer := range map[string]struct {
		status int
		text   string
	}{
		"XXL-JOB":                   {200, `{"code":500,"msg":"invalid request, uri-mapping(/ended) not found."}`},
		"says OK to all paths":      {200, `{"code":200,"msg":"Success"}`},
		"has no such page":          {404, `404 page not found`},
		"answers a list of its own": {200, `[{"logId":5,"logDateTim":1,"executeResult":{"code":200,"msg":"ok"}}]`},
	} {
		t.Run(name, func(t *testing.T) {
			addr, calls := serving(t, answer.status, answer.text)
			c := client(t, ClientOptions{})
			for range 3 {
				ended, err := c.Ended(t.Context(), addr, "some-app", []*xxladapter.Log{{ID: 5}})
				require.ErrorIs(t, err, ErrCannotTell)
				require.Empty(t, ended)
			}
			require.Equal(t, []string{wire.PathEnded}, *calls)
		})
	}
}

func TestAnExecutorThatIsAwayIsAskedAgain(t *testing.T) {
	addr, calls := serving(t, http.StatusOK, `{"code":500,"msg":"executor is not running"}`)
	c := client(t, ClientOptions{})
	for range 2 {
		_, err := c.Ended(t.Context(), addr, "some-app", []*xxladapter.Log{{ID: 5}})
		require.ErrorContains(t, err, "executor is not running")
	}
	require.Len(t, *calls, 2)
}

func TestAnExecutorAnswersForEachRun(t *testing.T) {
	addr, calls := serving(t, http.StatusOK, `{"code":200,"content":[true,false]}`)
	c := client(t, ClientOptions{})
	taken, err := c.Taken(t.Context(), addr, "some-app", []*xxladapter.Log{{ID: 5}, {ID: 6}})
	require.NoError(t, err)
	require.Equal(t, []bool{true, false}, taken)
	_, err = c.Taken(t.Context(), addr, "some-app", []*xxladapter.Log{{ID: 5}, {ID: 6}, {ID: 7}})
	require.ErrorContains(t, err, "2 answers, must be 3")
	require.Equal(t, []string{wire.PathTaken, wire.PathTaken}, *calls)
}
