package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// order triggers job 1 with a key and returns status and answer.
func (s *site) order(key, body string) (status int, got planned, text string) {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "POST", s.url+"/api/v1/jobs/1/trigger", strings.NewReader(body))
	require.NoError(s.t, err)
	req.Header.Set("Authorization", "Bearer "+testToken)
	if key != "" {
		req.Header.Set("Idempotency-Key", key)
	}
	resp, err := s.client.Do(req)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	var raw json.RawMessage
	require.NoError(s.t, json.NewDecoder(resp.Body).Decode(&raw))
	if resp.StatusCode == http.StatusOK {
		require.NoError(s.t, json.Unmarshal(raw, &got))
	}
	return resp.StatusCode, got, string(raw)
}

func TestATriggerIsFollowedToItsRun(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	show := func(id int64) (form orderForm) {
		s.get(fmt.Sprintf("/api/v1/orders/%d", id), &form)
		return form
	}
	_, got, _ := s.order("", "")
	require.Equal(t, s.planned[0].ID, got.Fire)
	form := show(got.Order)
	require.WithinDuration(t, time.Now(), form.Created, time.Minute)
	require.Equal(t, orderForm{ID: got.Order, JobID: 1, Fire: got.Fire, Created: form.Created, State: orderPlanned, LogIDs: []int64{}}, form)

	l, err := s.store.Lease(t.Context(), "n1", time.Hour)
	require.NoError(t, err)
	claimed, err := s.store.ClaimFire(t.Context(), l.Term, got.Fire, []*xxladapter.Log{{JobID: 1, GroupID: 1}, {JobID: 1, GroupID: 1}})
	require.NoError(t, err)
	form = show(got.Order)
	require.Equal(t, orderStarted, form.State)
	require.Equal(t, []int64{claimed[0].LogID, claimed[1].LogID}, form.LogIDs)

	_, got, _ = s.order("", "")
	_, err = s.store.SettleFire(t.Context(), l.Term, xxladapter.Settlement{FireID: got.Fire})
	require.NoError(t, err)
	require.Equal(t, orderDropped, show(got.Order).State)
	status, body := s.do("GET", "/api/v1/orders/99", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
	require.Contains(t, body, "order 99 does not exist")
}

// TestARepeatedTriggerStartsNothing checks that a caller whose answer was lost can repeat the call,
// and nothing runs twice.
func TestARepeatedTriggerStartsNothing(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	_, first, _ := s.order("a key of mine", `{"executorParam":"p"}`)
	require.False(t, first.Repeated)
	_, again, _ := s.order("a key of mine", `{"executorParam":"p"}`)
	require.Equal(t, planned{Order: first.Order, Fire: first.Fire, Repeated: true}, again)
	require.Len(t, s.planned, 1)

	status, _, body := s.order("a key of mine", `{"executorParam":"q"}`)
	require.Equal(t, http.StatusConflict, status)
	require.Contains(t, body, "must be a different key: order 1 used it with a different body")
	for _, key := range []string{strings.Repeat("k", 129), "ü", "a\tb"} {
		status, _, body = s.order(key, "")
		require.Equal(t, http.StatusBadRequest, status)
		require.Contains(t, body, "Idempotency-Key has ")
	}
	require.Len(t, s.planned, 1)
	_, other, _ := s.order("another key", `{"executorParam":"p"}`)
	require.NotEqual(t, first.Order, other.Order)
}

// TestATriggerIsRepeatedAfterItsAddressHasLeft repeats a call to an address that is no longer
// registered. The caller learns of the order; only a call that would begin another one is refused.
func TestATriggerIsRepeatedAfterItsAddressHasLeft(t *testing.T) {
	s := newSite(t)
	s.createJob("")
	g, err := s.store.Group(t.Context(), 1)
	require.NoError(t, err)
	g.AddressType, g.Addresses = xxladapter.AddressManual, []string{"http://10.0.0.7:9999"}
	_, err = s.store.SaveGroup(t.Context(), g)
	require.NoError(t, err)
	const body = `{"addressList":["http://10.0.0.7:9999"]}`
	status, first, text := s.order("key", body)
	require.Equal(t, http.StatusOK, status, text)

	g.Addresses = []string{"http://10.0.0.8:9999"}
	_, err = s.store.SaveGroup(t.Context(), g)
	require.NoError(t, err)
	_, again, _ := s.order("key", body)
	require.Equal(t, planned{Order: first.Order, Fire: first.Fire, Repeated: true}, again)
	status, _, text = s.order("key", `{"addressList":["http://10.0.0.7:9999"],"executorParam":"q"}`)
	require.Equal(t, http.StatusConflict, status, text)
	for _, key := range []string{"another key", ""} {
		status, _, text = s.order(key, body)
		require.Equal(t, http.StatusBadRequest, status, text)
	}
	require.Len(t, s.planned, 1)
}
