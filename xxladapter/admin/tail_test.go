package admin

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/runs"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// A growingLog is an executor whose runs write what a test tells them to.
type growingLog struct {
	fakeExecutors
	mu    sync.Mutex // guards the fields below
	lines []string
	asked int // for what is not there yet
	away  bool
}

func (g *growingLog) Log(_ context.Context, _, _ string, req wire.LogRequest) (wire.LogResult, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.away {
		return wire.LogResult{}, errors.New("connection refused")
	}
	from := int(req.FromLine)
	if from > len(g.lines) {
		g.asked++
		return wire.LogResult{FromLine: req.FromLine, ToLine: req.FromLine - 1}, nil
	}
	return wire.LogResult{FromLine: req.FromLine, ToLine: req.FromLine, Content: g.lines[from-1]}, nil // a line at a time
}

func (g *growingLog) write(lines ...string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.lines = append(g.lines, lines...)
}

func (g *growingLog) setAway(away bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.away = away
}

func (g *growingLog) requests() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.asked
}

func newTail(
	t *testing.T, newSite func(*testing.T, func(*Options)) *site,
) (*site, *growingLog, int64) {
	t.Helper()
	g := new(growingLog)
	s := newSite(t, func(o *Options) { o.Executors = g })
	return s, g, s.run(s.createJob(""), xxladapter.ResultOK)
}

func (s *site) endRun(id int64, msg string) {
	s.t.Helper()
	_, _, err := s.store.FinishRun(s.t.Context(), xxladapter.RunResult{LogID: id, Code: xxladapter.ResultOK, Msg: msg})
	require.NoError(s.t, err)
}

func TestATailFollowsTheRunToItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g, run := newTail(t, siteInBubble)
		g.write("one\n", "two\n")
		first := s.stream("/api/v1/runs/1/tail", "")
		expect := func(r *sseReader, want runs.TailForm, wantID string) {
			t.Helper()
			var is runs.TailForm
			_, id, ended := r.next(&is)
			require.False(t, ended)
			require.Equal(t, want, is)
			require.Equal(t, wantID, id)
		}
		expect(first, runs.TailForm{From: 1, To: 1, Content: "one\n"}, "1")
		expect(first, runs.TailForm{From: 2, To: 2, Content: "two\n"}, "2")
		second := s.stream("/api/v1/runs/1/tail", "1")
		expect(second, runs.TailForm{From: 2, To: 2, Content: "two\n"}, "2")
		g.write("three\n")
		expect(first, runs.TailForm{From: 3, To: 3, Content: "three\n"}, "3")
		expect(second, runs.TailForm{From: 3, To: 3, Content: "three\n"}, "3")
		g.setAway(true) // briefly, while the run continues
		s.endRun(run, "all done")
		g.setAway(false)
		for _, r := range []*sseReader{first, second} {
			expect(r, runs.TailForm{End: true, Status: xxladapter.LogSuccess, Message: "all done"}, "3")
			_, _, ended := r.next(new(runs.TailForm))
			require.True(t, ended)
		}
		require.Zero(t, s.server.runs.Watched())
		expect(s.stream("/api/v1/runs/1/tail?from=3", ""), runs.TailForm{From: 3, To: 3, Content: "three\n"}, "3")
	})
}

func TestOneTailServesAllViewers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g, run := newTail(t, siteInBubble)
		g.write("one\n")
		var viewers []*sseReader
		for range 20 {
			v := s.stream("/api/v1/runs/1/tail", "")
			v.next(new(runs.TailForm))
			viewers = append(viewers, v)
		}
		before := g.requests()
		g.write("two\n")
		for _, v := range viewers {
			v.next(new(runs.TailForm))
		}
		require.LessOrEqual(t, g.requests()-before, 3, "requests to the executor, for 20 viewers")
		require.Equal(t, 1, s.server.runs.Watched())
		s.endRun(run, "")
		for _, v := range viewers {
			var last runs.TailForm
			v.next(&last)
			require.True(t, last.End)
		}
	})
}

// TestAViewerWhoContinuesHidesNothingFromLaterOnes has somebody watch a run from a late line on, as
// after a broken connection. A later viewer still gets the text from its first line.
func TestAViewerWhoContinuesHidesNothingFromLaterOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, g, run := newTail(t, siteInBubble)
		g.write("one\n", "two\n")
		expect := func(r *sseReader, want runs.TailForm) {
			t.Helper()
			var is runs.TailForm
			_, _, ended := r.next(&is)
			require.False(t, ended)
			require.Equal(t, want, is)
		}
		one, two := runs.TailForm{From: 1, To: 1, Content: "one\n"}, runs.TailForm{From: 2, To: 2, Content: "two\n"}
		three := runs.TailForm{From: 3, To: 3, Content: "three\n"}
		late := s.stream("/api/v1/runs/1/tail", "2")
		viewers := []*sseReader{late}
		for range 2 {
			v := s.stream("/api/v1/runs/1/tail", "")
			expect(v, one)
			expect(v, two)
			viewers = append(viewers, v)
		}
		viewers = append(viewers, s.stream("/api/v1/runs/1/tail", "2"))
		require.Equal(t, 1, s.server.runs.Watched())
		g.write("three\n")
		for _, v := range viewers {
			expect(v, three)
		}
		s.endRun(run, "")
		for _, v := range viewers {
			var last runs.TailForm
			v.next(&last)
			require.True(t, last.End)
		}
		require.Zero(t, s.server.runs.Watched())
	})
}

func TestATailEndsWithItsLastViewerAndWithTheServer(t *testing.T) {
	s, _, _ := newTail(t, siteWith)
	viewer := s.stream("/api/v1/runs/1/tail", "")
	viewer.stop()
	require.Eventually(t, func() bool {
		return s.server.runs.Watched() == 0
	}, 10*time.Second, 10*time.Millisecond)
	viewer = s.stream("/api/v1/runs/1/tail", "")
	s.server.EndStreams()
	_, _, ended := viewer.next(new(runs.TailForm))
	require.True(t, ended)
}

func TestARunThatIsUnreachableForGoodEndsItsTail(t *testing.T) {
	s, g, run := newTail(t, siteWith)
	g.setAway(true)
	s.endRun(run, "done")
	var last runs.TailForm
	_, _, ended := s.stream("/api/v1/runs/1/tail", "").next(&last)
	require.False(t, ended)
	require.True(t, last.End)
	require.Contains(t, last.Note, "connection refused")
	require.Equal(t, "done", last.Message, "what the run reported, although its text is out of reach")
	status, _ := s.do("GET", "/api/v1/runs/99/tail", testToken, "")
	require.Equal(t, http.StatusNotFound, status)
	status, body := s.do("GET", "/api/v1/runs/1/tail?from=-1", testToken, "")
	require.Equal(t, http.StatusBadRequest, status, body)
}
