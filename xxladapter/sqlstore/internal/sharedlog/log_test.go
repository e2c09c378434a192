package sharedlog

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
)

// loaded returns the log of a process that has the pen and has read everything.
func loaded(t *testing.T, on *shelf, name string) *Log {
	t.Helper()
	l := New(&reader{on, name}, slog.New(slog.DiscardHandler))
	require.NoError(t, l.Hold(t.Context()))
	read(t, l)
	return l
}

// read loads everything that is on the shelf.
func read(t *testing.T, l *Log) {
	t.Helper()
	now, err := l.Look(t.Context())
	require.NoError(t, err)
	require.NoError(t, l.Load(t.Context(), now, 0, func(int64, []byte) error { return nil }))
}

// TestAPenThatWasTakenAgainIsKept lets the server be away for longer than the pen lasts. A call
// that waits meanwhile gets the pen, although the pen was given back for lack of calls.
func TestAPenThatWasTakenAgainIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.set(func() { on.away = true })
		time.Sleep(Life)
		require.False(t, l.Held())
		// The pen is given back while Hold waits. The writer's release would wait for Hold's lock,
		// and a bubble's clock stands still while a goroutine waits for a lock, so release comes
		// afterwards.
		on.set(func() { on.away, on.asked = false, func() { l.setReleasing() } })
		require.NoError(t, l.Hold(t.Context()))
		l.release()
		require.Equal(t, "a", on.held())
		require.True(t, l.Held())
		require.NoError(t, l.Close())
		require.Empty(t, on.held())
	})
}

// TestARenewalNoticesAnOldMemory renews the pen of a process that appends nothing.
func TestARenewalNoticesAnOldMemory(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(t *testing.T, on *shelf)
		want      error
	}{
		// Each case runs in a bubble.
		"nothing has changed": {func(*testing.T, *shelf) { time.Sleep(Life / 2) }, nil},
		"another log": {func(_ *testing.T, on *shelf) {
			time.Sleep(Life / 2)
			on.set(func() { on.state.Generation++ })
		}, ErrMoved},
		"another process had the pen, and it is free again": {func(t *testing.T, on *shelf) {
			time.Sleep(Life)
			require.NoError(t, loaded(t, on, "b").Close())
		}, ErrMoved},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := newShelf()
				a := loaded(t, on, "a")
				c.meanwhile(t, on)
				a.Renew()
				require.ErrorIs(t, a.Failed(), c.want)
				require.True(t, a.Held())
				require.NoError(t, a.Close())
			})
		})
	}
}

// TestALoadThatWasOvertakenIsRepeated lets the pen pass and come back during a load, which may wait
// for the tables longer than the pen lasts. Another call has noticed that.
func TestALoadThatWasOvertakenIsRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		a := loaded(t, on, "a")
		before, err := a.Look(t.Context())
		require.NoError(t, err)
		time.Sleep(Life) // the load waits
		require.NoError(t, loaded(t, on, "b").Close())
		require.NoError(t, a.Hold(t.Context()))
		require.NoError(t, a.Load(t.Context(), before, 0, func(int64, []byte) error { return nil }))
		require.ErrorIs(t, a.Failed(), ErrMoved)
		read(t, a)
		require.NoError(t, a.Failed())
		require.NoError(t, a.Wait(a.Append([]byte("r"))))
		require.NoError(t, a.Close())
	})
}

// TestARestartIsReadAgainUnlessThePenWasHeld starts the server again with what it had. A process
// that has certainly held the pen all the time continues. One whose pen may have passed meanwhile
// reads the log again, after what it has appended is stored.
func TestARestartIsReadAgainUnlessThePenWasHeld(t *testing.T) {
	add := func(t *testing.T, l *Log) { require.NoError(t, l.Wait(l.Append([]byte("r")))) }
	for name, c := range map[string]struct {
		away time.Duration
		call func(t *testing.T, l *Log)
		want error
	}{
		"held, append":    {Life - 1, add, nil},
		"held, renewal":   {Life - 1, func(_ *testing.T, l *Log) { l.Renew() }, nil},
		"lapsed, append":  {Life, add, ErrMoved},
		"lapsed, renewal": {Life, func(_ *testing.T, l *Log) { l.Renew() }, ErrMoved},
		"given back":      {0, func(_ *testing.T, l *Log) { l.Yield(); synctest.Wait() }, ErrMoved},
		"given back with a record": {0, func(t *testing.T, l *Log) {
			m := l.Append([]byte("r"))
			l.Yield()
			require.NoError(t, l.Wait(m))
			synctest.Wait()
		}, ErrMoved},
		"noticed before records are stored": {0, func(t *testing.T, l *Log) {
			on := l.server.(*reader).shelf
			on.set(func() { on.away = true })
			first := l.Append([]byte("in flight"))
			synctest.Wait()
			second := l.Append([]byte("queued"))
			time.Sleep(Life) // in the bubble of the case
			on.set(func() { on.away = false })
			require.NoError(t, l.Hold(t.Context()))
			require.ErrorIs(t, l.Failed(), ErrMoved)
			require.NoError(t, l.Wait(first))
			require.NoError(t, l.Wait(second))
		}, ErrMoved},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := newShelf()
				l := loaded(t, on, "a")
				time.Sleep(c.away)
				on.set(func() { on.state.Started = "again" })
				c.call(t, l)
				if !l.Held() {
					require.NoError(t, l.Hold(t.Context()))
				}
				require.ErrorIs(t, l.Failed(), c.want)
				read(t, l)
				require.NoError(t, l.Failed())
				require.NoError(t, l.Close())
			})
		})
	}
}

// TestTheHolderYieldsInTime checks each limit one nanosecond before it and at it.
func TestTheHolderYieldsInTime(t *testing.T) {
	for name, c := range map[string]struct {
		wanted  bool
		loading time.Duration
		after   time.Duration
	}{
		"nobody waits":                {false, 0, idleHold},
		"another process waits":       {true, 0, minHold},
		"reading took a while":        {true, 8 * time.Millisecond, 16 * time.Millisecond},
		"reading took long, and idle": {true, 200 * time.Millisecond, idleHold},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := newShelf()
				l := New(&reader{on, "a"}, slog.New(slog.DiscardHandler))
				require.NoError(t, l.Hold(t.Context()))
				time.Sleep(c.loading)
				read(t, l)
				l.mu.Lock()
				l.wanted = c.wanted
				l.mu.Unlock()
				time.Sleep(c.after - time.Nanosecond)
				require.False(t, l.ShouldYield())
				time.Sleep(time.Nanosecond)
				require.True(t, l.ShouldYield())
				require.NoError(t, l.Close())
			})
		})
	}
}

// TestAPenThatHadPassedIsYieldedInTime has a process get the pen back after another one has had it
// unnoticed. How long it keeps the pen depends on its last load, and not on the time without it.
func TestAPenThatHadPassedIsYieldedInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		a := loaded(t, on, "a")
		time.Sleep(Life)
		require.NoError(t, loaded(t, on, "b").Close())
		require.NoError(t, a.Hold(t.Context()))
		require.ErrorIs(t, a.Failed(), ErrMoved)
		read(t, a)
		a.mu.Lock()
		a.wanted = true
		a.mu.Unlock()
		time.Sleep(minHold - time.Nanosecond)
		require.False(t, a.ShouldYield())
		time.Sleep(time.Nanosecond)
		require.True(t, a.ShouldYield())
		require.NoError(t, a.Close())
	})
}

// TestASilentHolderLosesThePenAtItsEnd lets another process wait for the pen of one that froze.
func TestASilentHolderLosesThePenAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		a := loaded(t, on, "a")
		b := New(&reader{on, "b"}, slog.New(slog.DiscardHandler))
		begun := time.Now()
		require.NoError(t, b.Hold(t.Context()))
		require.InDelta(t, Life, time.Since(begun), float64(pollPause))
		require.False(t, a.Held())
		require.ErrorIs(t, a.Wait(a.Append([]byte("too late"))), ErrRefused)
		read(t, b)
		position := b.Append([]byte("one"))
		require.NoError(t, b.Wait(position))
		require.NoError(t, a.Close())
		require.NoError(t, b.Close())
		require.Equal(t, map[int64][]byte{1: []byte("one")}, on.records)
	})
}

// TestAnAppendWithoutAnAnswerIsStoredOnce loses the answer to an append that was done.
func TestAnAppendWithoutAnAnswerIsStoredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.set(func() { on.mute = true })
		require.NoError(t, l.Wait(l.Append([]byte("one"))))
		on.set(func() {
			require.False(t, on.until.Before(l.valid), "the pen is kept for as long as its holder believes")
		})
		require.NoError(t, l.Wait(l.Append([]byte("two"))))
		require.NoError(t, l.Close())
		require.Equal(t, map[int64][]byte{1: []byte("one"), 2: []byte("two")}, on.records)
	})
}

// TestAnOutageIsWaitedForAWhile takes the server away during an append, for less and for more than
// the append waits.
func TestAnOutageIsWaitedForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.set(func() { on.away = true })
		time.AfterFunc(patience-time.Second, func() { on.set(func() { on.away = false }) })
		require.NoError(t, l.Wait(l.Append([]byte("one"))))
		on.set(func() { on.away = true })
		begun := time.Now()
		require.ErrorIs(t, l.Wait(l.Append([]byte("two"))), journal.ErrInDoubt)
		require.InDelta(t, patience, time.Since(begun), float64(2*retryPause))
		require.ErrorIs(t, l.Failed(), journal.ErrInDoubt)
		require.False(t, l.Held())
		on.set(func() { on.away = false })
		require.NoError(t, l.Hold(context.Background()))
		read(t, l)
		require.NoError(t, l.Wait(l.Append([]byte("two"))))
		require.NoError(t, l.Close())
	})
}

// TestACloseEndsTheWaitForThePen closes a log while a call waits for a server that is away. Neither
// that call nor a later one takes the pen, which was given back.
func TestACloseEndsTheWaitForThePen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.set(func() { on.away = true })
		held := make(chan error, 1)
		go func() { held <- l.Hold(t.Context()) }()
		synctest.Wait()
		begun := time.Now()
		require.NoError(t, l.Close())
		require.ErrorIs(t, <-held, journal.ErrClosed)
		require.LessOrEqual(t, time.Since(begun), pollPause)
		time.Sleep(Life) // in the bubble
		on.set(func() { on.away = false })
		require.ErrorIs(t, l.Hold(t.Context()), journal.ErrClosed)
		require.Empty(t, on.held())
	})
}

// setReleasing does what Yield does, except that it does not wake the writer.
func (l *Log) setReleasing() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held, l.releasing = false, true
}

// TestAnAppendThatArrivesLateIsNotTakenForAnother gives up an append. The server carries it out
// later, when the next append, of as many records, is on its way.
func TestAnAppendThatArrivesLateIsNotTakenForAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.set(func() { on.away = true })
		require.ErrorIs(t, l.Wait(l.Append([]byte("late"))), journal.ErrInDoubt)
		require.NoError(t, func() error { on.set(func() { on.away = false }); return l.Hold(t.Context()) }())
		read(t, l)
		on.set(func() {
			on.early = func() { // the first attempt gets no answer, and meanwhile the old one arrives
				on.state.Position++
				on.records[on.state.Position], on.batch, on.lost = []byte("late"), 1, true
			}
		})
		require.ErrorIs(t, l.Wait(l.Append([]byte("next"))), journal.ErrInDoubt)
		require.Equal(t, map[int64][]byte{1: []byte("late")}, on.records)
		require.NoError(t, l.Close())
	})
}

// TestABatchInFlightIsWaitedFor lets the log fail while an append has no answer yet. A caller that
// waits for the append then gets the append's outcome, not the log's failure.
func TestABatchInFlightIsWaitedFor(t *testing.T) {
	for name, stored := range map[string]bool{"stored": true, "unknown": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				on := newShelf()
				l := loaded(t, on, "a")
				on.set(func() { on.mute, on.away = stored, !stored })
				position := l.Append([]byte("one"))
				synctest.Wait() // the first attempt has failed, and the next one waits
				l.mu.Lock()
				l.failed = ErrMoved
				l.mu.Unlock()
				err := l.Wait(position)
				if stored {
					require.NoError(t, err)
				} else {
					require.ErrorIs(t, err, journal.ErrInDoubt)
				}
				on.set(func() { on.away = false })
				require.NoError(t, l.Hold(t.Context()))
				read(t, l)
				if !stored {
					require.ErrorIs(t, l.Wait(position), journal.ErrInDoubt, "also after the log was read again")
				}
				require.NoError(t, l.Close())
			})
		})
	}
}

// TestAnAppendWhileThePenIsTakenMovesNothing stores an append of the same process after the server
// has given the pen and before its answer arrives. The memory is still up to date.
func TestAnAppendWhileThePenIsTakenMovesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := newShelf()
		l := loaded(t, on, "a")
		on.told = func() { require.NoError(t, l.Wait(l.Append([]byte("one")))) }
		require.NoError(t, l.Hold(t.Context()))
		require.NoError(t, l.Failed())
		on.set(func() { on.state.Position = 0 }) // an old copy of the server's files
		require.NoError(t, l.Hold(t.Context()))
		require.ErrorIs(t, l.Failed(), ErrMoved)
		require.NoError(t, l.Close())
	})
}
