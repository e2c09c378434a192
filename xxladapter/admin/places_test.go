package admin

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
)

// TestHeavyCallsAreBounded checks which calls share places, and what a call gets that finds no
// place.
func TestHeavyCallsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := New(Options{Store: memstore.New(nil), Completer: new(fakeCompleter), AccessToken: testToken})
		require.NoError(t, err)
		ask := func(method, path, body string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost"+api.Base+path, strings.NewReader(body))
			r.Header.Set("Authorization", "Bearer "+testToken)
			answer := httptest.NewRecorder()
			s.ServeHTTP(answer, r)
			return answer
		}
		require.Equal(t, http.StatusOK, ask("POST", "/groups", `{"appName":"some-app"}`).Code)
		job := `{"jobGroup":1,"name":"n","author":"a","executorHandler":"h","scheduleType":"CRON","scheduleConf":"0 0 2 * * ?"}`
		require.Equal(t, http.StatusOK, ask("POST", "/jobs", job).Code)
		heavy := []string{"/forecast", "/graph", "/jobs/1/why", "/jobs/1/timeline", "/schedule/preview?scheduleType=FIX_RATE&scheduleConf=60", "/audit/verify"}
		for range api.HeavyPlaces {
			s.heavy <- struct{}{}
		}
		for _, path := range heavy {
			begun := time.Now()
			answer := ask("GET", path, "")
			require.Equal(t, http.StatusTooManyRequests, answer.Code, "%s: %s", path, answer.Body)
			require.Equal(t, "1", answer.Header().Get("Retry-After"))
			require.Equal(t, api.HeavyWait, time.Since(begun))
		}
		require.Equal(t, http.StatusOK, ask("GET", "/jobs", "").Code, "other calls have places")
		<-s.heavy
		for _, path := range heavy {
			answer := ask("GET", path, "")
			require.Equal(t, http.StatusOK, answer.Code, "%s: %s", path, answer.Body)
		}
		require.Len(t, s.heavy, api.HeavyPlaces-1, "each gives its place back")
	})
}

// TestACallThatIsGivenUpTakesNoPlace checks that a call that has waited in vain leaves the next
// free place to others.
func TestACallThatIsGivenUpTakesNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := make(api.Places, 1)
		require.NoError(t, p.Take(t.Context()))
		err := p.Take(t.Context())
		var refused *xxladapter.Error
		require.ErrorAs(t, err, &refused)
		require.Equal(t, xxladapter.CodeTooMany, refused.Code)
		go func() {
			time.Sleep(api.HeavyWait / 2)
			<-p
		}()
		require.NoError(t, p.Take(t.Context()), "a place that becomes free is taken")
	})
}
