//go:build unix

package sqlite

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/database"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/fixture"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journaled"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// A refusingLog is the log of one process. It refuses one batch, as if the pen had passed to
// another process and back.
type refusingLog struct {
	mu      sync.Mutex // guards the fields below
	state   sharedlog.State
	records map[int64][]byte
	refuse  chan struct{} // the next append is refused once a value comes; nil means that it is not
	refused chan struct{} // gets a value before
}

func (l *refusingLog) Take(context.Context) (sharedlog.State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Held = true
	return l.state, nil
}

func (l *refusingLog) Look(ctx context.Context) (sharedlog.State, error) { return l.Take(ctx) }

func (l *refusingLog) Append(
	_ context.Context, _ sharedlog.State, _ int64, records [][]byte,
) (sharedlog.State, error) {
	l.mu.Lock()
	refuse := l.refuse
	l.refuse = nil
	l.mu.Unlock()
	if refuse != nil {
		l.refused <- struct{}{}
		<-refuse
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if refuse != nil {
		l.state.Pen += 2
		return l.state, sharedlog.ErrRefused
	}
	for _, record := range records {
		l.state.Position++
		l.records[l.state.Position] = record
	}
	return l.state, nil
}

func (l *refusingLog) Read(_ context.Context, after, last int64, each func(int64, []byte) error) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for number := after + 1; number <= last; number++ {
		if err := each(number, l.records[number]); err != nil {
			return err
		}
	}
	return nil
}

func (l *refusingLog) Begin(_ context.Context, now sharedlog.State) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state.Generation, l.state.Position, l.records = now.Generation, now.Position, map[int64][]byte{}
	return nil
}

func (l *refusingLog) Trim(context.Context, int64) error { return nil }
func (l *refusingLog) Release(context.Context) error     { return nil }
func (l *refusingLog) Close() error                      { return nil }

// TestAJobIsReadAgainAfterItsRecordWasRefused reads a job whose new times are in a record that the
// log then refuses, because another process has had the pen.
func TestAJobIsReadAgainAfterItsRecordWasRefused(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	tables, err := Open(ctx, filepath.Join(t.TempDir(), "xxl.db"), database.Options{Logger: fixture.Quiet})
	require.NoError(t, err)
	log := &refusingLog{state: sharedlog.State{Pen: 1}, refused: make(chan struct{})}
	s, err := journaled.OpenShared(ctx, tables, journaled.SharedOptions{
		Logger: fixture.Quiet, Log: func(string) sharedlog.Server { return log },
	})
	require.NoError(t, err)
	defer s.Close()
	now := time.Now()
	id := fixture.AddDue(t, s, "job", now)
	by := fixture.TermOf(t, s, "n1")

	refuse := make(chan struct{})
	log.mu.Lock()
	log.refuse = refuse
	log.mu.Unlock()
	var calls sync.WaitGroup
	calls.Go(func() {
		_, claimed, err := s.ClaimDue(ctx, by, time.Second, 10, func(_ time.Time, due []*xxladapter.Job) []xxladapter.Decision {
			return []xxladapter.Decision{{JobID: due[0].ID, Last: now, Next: now.Add(time.Hour)}}
		})
		require.NoError(t, err)
		require.Equal(t, 1, claimed)
	})
	<-log.refused
	calls.Go(func() {
		j, err := s.Job(ctx, id)
		require.NoError(t, err)
		require.Equal(t, id, j.ID)
	})
	time.Sleep(100 * time.Millisecond) // until it waits for the record
	close(refuse)
	calls.Wait()
}
