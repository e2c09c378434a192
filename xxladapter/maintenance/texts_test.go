package maintenance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// An executorOf answers requests for a log in one of the ways that executors have.
type executorOf struct {
	mu    sync.Mutex
	calls int
	page  func(from int) (wire.LogResult, error)
}

func (e *executorOf) Log(_ context.Context, _, _ string, req wire.LogRequest) (wire.LogResult, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls++
	return e.page(int(req.FromLine))
}

func (e *executorOf) asked() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.calls
}

// lines returns the part of a text from a line on, at most n lines.
func lines(text string, from, n int) (content string, to int) {
	all := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n")
	for i := from; i < from+n && i <= len(all); i++ {
		content += strings.TrimSuffix(all[i-1], "\n") + "\n"
		to = i
	}
	return content, to
}

const threeLines = "one\ntwo\nthree\n"

// fetched runs the service for d on one ended run, and returns what is stored of it.
func fetched(t *testing.T, d time.Duration, e *executorOf, change func(*Texts)) (*xxladapter.RunText, string) {
	t.Helper()
	b := newLogbook(t, xxladapter.Settings{})
	id := b.run(500)
	var logged bytes.Buffer
	texts := &Texts{Store: b, Fetch: e.Log, Logger: slog.New(slog.NewTextHandler(&logged, nil))}
	if change != nil {
		change(texts)
	}
	runFor(t, d, texts.Run)
	text, err := b.RunText(t.Context(), id)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return nil, logged.String()
	}
	require.NoError(t, err)
	return text, logged.String()
}

func TestEveryKindOfExecutorIsReadToItsEnd(t *testing.T) {
	for name, page := range map[string]func(from int) (wire.LogResult, error){
		"Java 3.3 and later": func(from int) (wire.LogResult, error) {
			content, to := lines(threeLines, from, 1000)
			return wire.LogResult{FromLine: wire.Int(from), ToLine: wire.Int(to), Content: content}, nil
		},
		"Java before": func(from int) (wire.LogResult, error) {
			content, _ := lines(threeLines, from, 1000)
			return wire.LogResult{FromLine: wire.Int(from), ToLine: 3, Content: content}, nil
		},
		"ours, in pages": func(from int) (wire.LogResult, error) {
			content, to := lines(threeLines, from, 2)
			return wire.LogResult{FromLine: wire.Int(from), ToLine: wire.Int(max(to, 3*(from/4))), Content: content}, nil
		},
		"xxl-job-executor-go": func(int) (wire.LogResult, error) {
			return wire.LogResult{FromLine: 1, ToLine: 3, Content: threeLines, End: true}, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text, _ := fetched(t, time.Minute, &executorOf{page: page}, nil)
				require.NotNil(t, text)
				text.LogID = 0
				require.Equal(t, &xxladapter.RunText{Text: threeLines, Size: int64(len(threeLines)), Complete: true}, text)
			})
		})
	}
}

func TestATextWaitsForTheLastLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := oneLine()
		text, _ := fetched(t, xxladapter.TextDelay-time.Millisecond, e, nil)
		require.Nil(t, text)
		text, _ = fetched(t, xxladapter.TextDelay+2*textPace, e, nil)
		require.NotNil(t, text)
	})
}

// oneLine returns an executor whose logs have one line each.
func oneLine() *executorOf {
	return &executorOf{page: func(int) (wire.LogResult, error) { return wire.LogResult{Content: "x\n", End: true}, nil }}
}

func TestTextsLetHandOversGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, e := newLogbook(t, xxladapter.Settings{}), oneLine()
		const runs = 500
		for range runs {
			b.run(500)
		}
		var busy atomic.Bool
		busy.Store(true)
		texts := &Texts{Store: b, Fetch: e.Log, Busy: busy.Load, Logger: slog.New(slog.DiscardHandler)}
		time.Sleep(xxladapter.TextDelay)
		asked := make(chan int, 2)
		go func() {
			time.Sleep(textPace + 10*textYield + textYield/2)
			asked <- e.asked()
			busy.Store(false)
			time.Sleep(textYield)
			asked <- e.asked()
		}()
		runFor(t, time.Minute, texts.Run)
		fewer, all := <-asked, <-asked
		require.LessOrEqual(t, fewer, 11*textWorkers)
		require.GreaterOrEqual(t, fewer, 4*textWorkers, "they come to their turn")
		require.Equal(t, runs, all)
	})
}

// TestAnAnnouncedTextIsFetchedAtOnce checks that an announced text is stored as soon as it may be
// fetched, whenever the announcement comes and whatever was fetched right before.
func TestAnAnnouncedTextIsFetchedAtOnce(t *testing.T) {
	for offset := time.Duration(0); offset < textPace; offset += textPace / 10 {
		synctest.Test(t, func(t *testing.T) {
			b, e := newLogbook(t, xxladapter.Settings{}), oneLine()
			wanted := make(chan struct{}, 1)
			texts := &Texts{Store: b, Fetch: e.Log, Wanted: wanted, Logger: slog.New(slog.DiscardHandler)}
			go runFor(t, 2*textPace, texts.Run)
			time.Sleep(offset)
			var runs []int64
			for range 3 {
				runs = append(runs, b.run(500))
				select {
				case wanted <- struct{}{}:
				default:
				}
				time.Sleep(textSoon / 2)
			}
			time.Sleep(2*textSoon + time.Second)
			for _, id := range runs {
				_, err := b.RunText(t.Context(), id)
				require.NoError(t, err)
			}
			time.Sleep(2 * textPace)
		})
	}
}

// TestABacklogOfTextsIsWorkedOffAtOnce checks that one batch follows the other while there is more.
func TestABacklogOfTextsIsWorkedOffAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, e := newLogbook(t, xxladapter.Settings{}), oneLine()
		const runs = 1000
		for range runs {
			b.run(500)
		}
		saves := &countedSaves{TextStore: b}
		texts := &Texts{Store: saves, Fetch: e.Log, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, textPace+time.Second, texts.Run)
		require.Equal(t, runs, e.asked())
		require.Equal(t, (runs+textBatch-1)/textBatch, saves.calls)
		require.Equal(t, runs, saves.texts)
	})
}

// A countedSaves counts calls and stored texts.
type countedSaves struct {
	TextStore
	mu                 sync.Mutex
	calls, texts, most int // most is the largest number of bytes in one call
}

func (s *countedSaves) SaveTexts(ctx context.Context, texts []xxladapter.RunText) error {
	size := 0
	for _, t := range texts {
		size += len(t.Text)
	}
	s.mu.Lock()
	s.calls++
	s.texts += len(texts)
	s.most = max(s.most, size)
	s.mu.Unlock()
	return s.TextStore.SaveTexts(ctx, texts)
}

// TestLongTextsAreStoredFewAtATime checks that long texts do not fill the memory.
func TestLongTextsAreStoredFewAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		const runs, size = 32, textsTogether / 4
		for range runs {
			b.run(500)
		}
		long := strings.Repeat("x", size-1) + "\n"
		e := &executorOf{page: func(int) (wire.LogResult, error) { return wire.LogResult{Content: long, End: true}, nil }}
		saves := &countedSaves{TextStore: b}
		texts := &Texts{Store: saves, Fetch: e.Log, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, textPace+time.Second, texts.Run)
		require.Equal(t, runs, saves.texts)
		require.LessOrEqual(t, saves.most, textsTogether+textWorkers*size)
		require.GreaterOrEqual(t, saves.calls, runs/(4+textWorkers))
		require.Greater(t, saves.calls, 1)
	})
}

func TestTheNextTextPauseFollowsWhatWasFound(t *testing.T) {
	for _, c := range []struct {
		pause time.Duration
		found int
		want  time.Duration
	}{
		{textPace, 0, textPace},
		{textPace, 1, textPace},
		{textPace, textBatch, leastTextPause},
		{time.Second, textBatch / 2, time.Second},
		{time.Second, textBatch/2 + 1, time.Second / 2},
		{time.Second, textBatch / 4, time.Second},
		{time.Second, textBatch/4 - 1, 2 * time.Second},
		{textPace * 3 / 5, 0, textPace},
		{leastTextPause, textBatch - 1, leastTextPause},
	} {
		require.Equal(t, c.want, nextTextPause(c.pause, c.found, textBatch), "%v after %d", c.pause, c.found)
	}
}

func TestWhenATextIsAskedForAgain(t *testing.T) {
	for attempts, want := range map[int]time.Duration{
		1: time.Minute, 2: 4 * time.Minute, 3: 16 * time.Minute, 4: 64 * time.Minute, 5: 64 * time.Minute, 6: 64 * time.Minute,
	} {
		require.Equal(t, want, textAgain(attempts), attempts)
	}
}

// A failing is a store whose first calls fail.
type failing struct {
	TextStore
	claims, groups int // how many calls are still to fail
	limits         []int
}

func (f *failing) ClaimTexts(ctx context.Context, limit int, again func(int) time.Duration) ([]xxladapter.TextClaim, error) {
	f.limits = append(f.limits, limit)
	if f.claims--; f.claims >= 0 {
		return nil, errors.New("no store")
	}
	return f.TextStore.ClaimTexts(ctx, limit, again)
}

func (f *failing) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	if f.groups--; f.groups >= 0 {
		return nil, errors.New("no groups")
	}
	return f.TextStore.Group(ctx, id)
}

// TestAStoreThatFailsIsTriedAgain checks that the error is logged, and that no executor is asked
// without the group's name, which some require.
func TestAStoreThatFailsIsTriedAgain(t *testing.T) {
	for name, f := range map[string]*failing{"no store": {claims: 2}, "no groups": {groups: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := oneLine()
				text, logged := fetched(t, 3*time.Minute, e, func(texts *Texts) { f.TextStore, texts.Store = texts.Store, f })
				require.NotNil(t, text)
				require.True(t, text.Complete)
				require.Contains(t, logged, "storing texts of runs failed")
				require.Contains(t, logged, name)
				require.Equal(t, 1, e.asked())
				for _, limit := range f.limits {
					require.Equal(t, textBatch, limit, "nothing waits that comes first")
				}
			})
		})
	}
}

func TestATextIsAskedForAgainAndThenGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := errors.New("connection refused")
		e := &executorOf{page: func(int) (wire.LogResult, error) { return wire.LogResult{}, refused }}
		text, _ := fetched(t, 80*time.Minute, e, nil)
		require.Nil(t, text)
		require.Equal(t, textAttempts-1, e.calls)
		e.calls = 0
		text, logged := fetched(t, 4*time.Hour, e, nil)
		require.Equal(t, textAttempts, e.calls)
		require.NotNil(t, text)
		require.False(t, text.Complete)
		require.Equal(t, "given up after 5 attempts: connection refused", text.Note)
		require.Contains(t, logged, "log of a run given up")

		e.calls, e.page = 0, func(int) (wire.LogResult, error) {
			if e.calls < textAttempts {
				return wire.LogResult{}, refused
			}
			return wire.LogResult{Content: "late\n", End: true}, nil
		}
		text, _ = fetched(t, 4*time.Hour, e, nil)
		require.Equal(t, "late\n", text.Text)
		require.True(t, text.Complete)
	})
}

func TestALogThatIsNotThereIsNotAskedForAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &executorOf{page: func(int) (wire.LogResult, error) {
			return wire.LogResult{Content: wire.MsgNoLogFile, End: true}, nil
		}}
		text, _ := fetched(t, 4*time.Hour, e, nil)
		require.Equal(t, 1, e.calls)
		require.Empty(t, text.Text)
		require.Equal(t, "the executor has no log file of this run", text.Note)
	})
}

func TestALongTextIsStoredInPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const last = 3000
		e := &executorOf{page: func(from int) (wire.LogResult, error) {
			if from > last {
				return wire.LogResult{}, nil
			}
			return wire.LogResult{ToLine: wire.Int(from), Content: fmt.Sprintf("line %d\n", from)}, nil
		}}
		text, _ := fetched(t, time.Minute, e, func(t *Texts) { t.Limit = 1000 })
		require.False(t, text.Complete)
		require.True(t, strings.HasPrefix(text.Text, "line 1\n"))
		require.True(t, strings.HasSuffix(text.Text, "line 3000\n"))
		require.Contains(t, text.Text, "bytes omitted")
		require.Contains(t, text.Note, "of which at most 1000 are stored")
	})
}

func TestATextWithoutEndIsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &executorOf{page: func(from int) (wire.LogResult, error) {
			time.Sleep(time.Second)
			return wire.LogResult{ToLine: wire.Int(from), Content: "more\n"}, nil
		}}
		text, _ := fetched(t, time.Minute, e, nil)
		require.False(t, text.Complete)
		require.Contains(t, text.Note, "reading took longer than 10s")
		require.Less(t, e.calls, 15)
	})
}

func TestATextThatWasNotSavedIsFetchedByTheNextNode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newLogbook(t, xxladapter.Settings{})
		id := b.run(500)
		e := &executorOf{page: func(int) (wire.LogResult, error) {
			time.Sleep(5 * time.Second)
			return wire.LogResult{Content: "x\n", End: true}, nil
		}}
		dies := &Texts{Store: b, Logger: slog.New(slog.DiscardHandler), Fetch: func(ctx context.Context, _, _ string, _ wire.LogRequest) (wire.LogResult, error) {
			<-ctx.Done()
			return wire.LogResult{}, ctx.Err()
		}}
		runFor(t, textPace+time.Second, dies.Run)
		other := &Texts{Store: b, Fetch: e.Log, Logger: slog.New(slog.DiscardHandler)}
		runFor(t, 30*time.Second, other.Run)
		require.Zero(t, e.calls, "somebody may still be at it")
		runFor(t, time.Minute, other.Run)
		text, err := b.RunText(t.Context(), id)
		require.NoError(t, err)
		require.Equal(t, "x\n", text.Text)
	})
}
