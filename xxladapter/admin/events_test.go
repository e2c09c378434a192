package admin

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An sseReader reads a stream of server-sent events.
type sseReader struct {
	t     *testing.T
	lines *bufio.Scanner
	stop  context.CancelFunc
}

// stream begins to read a stream; last is the id of the last event that was received.
func (s *site) stream(path, last string) *sseReader {
	s.t.Helper()
	ctx, stop := context.WithTimeout(s.t.Context(), 30*time.Second)
	s.t.Cleanup(stop)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+path, nil)
	require.NoError(s.t, err)
	req.Header.Set(wire.HeaderToken, testToken)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	resp, err := s.client.Do(req)
	require.NoError(s.t, err)
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	require.Equal(s.t, http.StatusOK, resp.StatusCode)
	require.Equal(s.t, "text/event-stream; charset=utf-8", resp.Header.Get("Content-Type"))
	return &sseReader{s.t, bufio.NewScanner(resp.Body), stop}
}

// next returns the next event's name, id and data; ended reports that the stream has ended.
func (r *sseReader) next(data any) (name, id string, ended bool) {
	r.t.Helper()
	for r.lines.Scan() {
		field, value, _ := strings.Cut(r.lines.Text(), ": ")
		switch field {
		case "event":
			name = value
		case "id":
			id = value
		case "data":
			require.NoError(r.t, json.Unmarshal([]byte(value), data))
			return name, id, false
		}
	}
	return "", "", true
}

func TestEventsNameWhatHasChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := siteInBubble(t, nil)
		job := s.createJob("")
		listener := s.stream("/api/v1/events", "")
		var e eventForm
		_, first, _ := listener.next(&e)
		require.Equal(t, eventForm{"all", 0}, e)
		status, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"name":"renamed"}`)
		require.Equal(t, http.StatusOK, status, body)
		_, second, _ := listener.next(&e)
		require.Equal(t, eventForm{"job", job}, e)

		other := s.stream("/api/v1/events", first)
		_, id, _ := other.next(&e)
		require.Equal(t, eventForm{"job", job}, e, "it was missed, and is sent again")
		require.Equal(t, second, id)
		_, _, _ = s.stream("/api/v1/events", "lost-7").next(&e)
		require.Equal(t, eventForm{"all", 0}, e)

		status, body = s.do("DELETE", "/api/v1/jobs/1", testToken, "")
		require.Equal(t, http.StatusOK, status, body)
		listener.next(&e)
		require.Equal(t, eventForm{"job", job}, e)
		s.server.EndStreams()
		for _, r := range []*sseReader{listener, other} {
			for ended := false; !ended; {
				_, _, ended = r.next(&e)
			}
			require.NoError(t, r.lines.Err())
		}
	})
}

func TestEventsOfOtherGroupsAreNotSent(t *testing.T) {
	s := twoGroupsOn(t)
	var e eventForm
	_, before, _ := s.stream("/api/v1/events", "").next(&e)
	for _, group := range []int64{2, 1} {
		s.server.hub.Tell(events.Event{Topic: events.TopicJob, ID: group, GroupID: group})
	}
	restricted := httptest.NewServer(s.handler(time.Minute, granted(1, xxladapter.RoleViewer)))
	t.Cleanup(restricted.Close)
	s.url = restricted.URL
	s.stream("/api/v1/events", before).next(&e) // the events after before are sent again at once
	require.Equal(t, eventForm{"job", 1}, e)
}

// TestViewersOfTheOldGroupLearnThatAJobMoved checks that those who no longer see a job get its
// event.
func TestViewersOfTheOldGroupLearnThatAJobMoved(t *testing.T) {
	s := twoGroupsOn(t)
	var e eventForm
	_, before, _ := s.stream("/api/v1/events", "").next(&e)
	status, body := s.do("PUT", "/api/v1/jobs/1", testToken, `{"jobGroup":2}`)
	require.Equal(t, http.StatusOK, status, body)
	// The stream lasts for 3 s, longer than the pause between two polls of the hub. If it ends
	// first, no event was sent.
	restricted := httptest.NewServer(s.handler(3*time.Second, granted(1, xxladapter.RoleViewer)))
	t.Cleanup(restricted.Close)
	s.url = restricted.URL
	_, _, ended := s.stream("/api/v1/events", before).next(&e)
	require.False(t, ended)
	require.Equal(t, eventForm{"job", 1}, e)
}
