package alarm

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// crashFile is the environment variable that names the database on which a child process of the
// test runs a monitor instead of tests.
const crashFile = "XXLWHEEL_ALARM_TEST_FILE"

// monitorUntilKilled runs a monitor that claims an alarm, prints a line in place of sending it, and
// then blocks.
func monitorUntilKilled(file string) error {
	go func() { // ends this process with the test that started it
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
	store, err := sqlstore.OpenSQLite(context.Background(), file, sqlstore.Options{Logger: quiet})
	if err != nil {
		return err
	}
	m, err := NewMonitor(Options{
		Store: store, Node: "child", Logger: quiet,
		Channels: []Channel{&fakeChannel{name: "child", send: func(context.Context, *Alarm) error {
			fmt.Println("sending")
			select {}
		}}},
	})
	if err != nil {
		return err
	}
	return m.Run(context.Background())
}

// TestAProcessThatIsKilledBetweenClaimAndSendIsReplacedOnce kills a real process with SIGKILL, on
// a real database.
func TestAProcessThatIsKilledBetweenClaimAndSendIsReplacedOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "xxl.db")
	clock := time.Now
	open := func() xxladapter.Store {
		store, err := sqlstore.OpenSQLite(t.Context(), file, sqlstore.Options{Logger: quiet, Clock: func() time.Time { return clock() }})
		require.NoError(t, err)
		return store
	}
	store := open()
	ctx := t.Context()
	group, err := store.SaveGroup(ctx, &xxladapter.Group{AppName: "billing", Title: "t"})
	require.NoError(t, err)
	job, err := xxladapter.CreateJob(ctx, store, &xxladapter.Job{GroupID: group, Name: "nightly", Handler: "h"})
	require.NoError(t, err)
	failed := endRun(t, store, job, 500, "why")

	child := exec.CommandContext(ctx, os.Args[0])
	child.Env = append(os.Environ(), crashFile+"="+file)
	_, err = child.StdinPipe() // closed when the test ends
	require.NoError(t, err)
	out, err := child.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, child.Start())
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	require.Equal(t, "sending\n", line)
	require.NoError(t, child.Process.Kill())
	_, _ = io.Copy(io.Discard, out)
	require.Error(t, child.Wait(), "it was killed")

	l, err := store.Log(ctx, failed)
	require.NoError(t, err)
	require.Equal(t, xxladapter.AlarmTaken, l.AlarmStatus, "where upstream stays forever")

	channel := &fakeChannel{name: "survivor"}
	survivors := func() (monitors []*Monitor) {
		for i := range 2 {
			m, err := NewMonitor(Options{Store: store, Node: fmt.Sprint("n", i), Channels: []Channel{channel}, Logger: quiet})
			require.NoError(t, err)
			monitors = append(monitors, m)
		}
		return monitors
	}()
	lookAll := func() {
		for _, m := range survivors {
			require.NoError(t, m.poll(ctx, ctx))
		}
	}
	lookAll()
	require.Empty(t, channel.alarms(), "it may still be alive")
	clock = func() time.Time { return time.Now().Add(claimLife + time.Second) }
	for range 3 {
		lookAll()
	}
	require.Equal(t, []string{"job 1 nightly failed"}, channel.titles())
	require.Equal(t, fmt.Sprint("failed-", failed), channel.got[0].ID, "as the child would have called it")
	l, err = store.Log(ctx, failed)
	require.NoError(t, err)
	require.Equal(t, xxladapter.AlarmSent, l.AlarmStatus)
	require.NoError(t, store.Close())
}

// TestAFrozenNodeDoesNotSpeakTwice stops a node while it sends, for longer than its claim lives.
// When the node continues, the time limit of its message has passed.
func TestAFrozenNodeDoesNotSpeakTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		frozen := &fakeChannel{name: "frozen", send: func(ctx context.Context, _ *Alarm) error {
			time.Sleep(claimLife + time.Minute) // a frozen process notices no deadline
			return ctx.Err()
		}}
		s.monitor("frozen", frozen)
		synctest.Wait()
		healthy := &fakeChannel{name: "healthy"}
		s.monitor("healthy", healthy)
		time.Sleep(time.Hour)
		require.Len(t, healthy.alarms(), 1)
		require.Empty(t, frozen.alarms())
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
	})
}

// A freezingStore blocks its caller once, between claim and send, for longer than a claim lives.
type freezingStore struct {
	Store
	once sync.Once
}

func (s *freezingStore) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	s.once.Do(func() { time.Sleep(claimLife + time.Minute) }) // in a bubble
	return s.Store.Group(context.WithoutCancel(ctx), id)
}

func (s *freezingStore) Log(ctx context.Context, id int64) (*xxladapter.Log, error) {
	return s.Store.Log(context.WithoutCancel(ctx), id)
}

// TestANodeThatIsFrozenBeforeItSendsSaysNothing checks that the time limit of a message starts with
// its claim.
func TestANodeThatIsFrozenBeforeItSendsSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		channel := &fakeChannel{name: "fake", send: func(ctx context.Context, _ *Alarm) error { return ctx.Err() }}
		startMonitor(t, Options{Store: &freezingStore{Store: s.store}, Node: "frozen", Channels: []Channel{channel}, Logger: quiet})
		synctest.Wait()
		s.monitor("healthy", channel)
		time.Sleep(time.Hour)
		require.Len(t, channel.alarms(), 1)
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
	})
}

// A suspendingStore is on a machine that is suspended once, between claim and send, for longer than
// a claim lives: the clock of this process stands still, and that of the store continues.
type suspendingStore struct {
	Store
	once  sync.Once
	slept atomic.Bool
}

func (s *suspendingStore) Group(ctx context.Context, id int64) (*xxladapter.Group, error) {
	s.once.Do(func() { s.slept.Store(true) })
	return s.Store.Group(ctx, id)
}

func (s *suspendingStore) Now(ctx context.Context) (time.Time, error) {
	now, err := s.Store.Now(ctx)
	if s.slept.Swap(false) {
		now = now.Add(claimLife)
	}
	return now, err
}

// TestAMachineThatWasSuspendedBeforeItSendsSaysNothing checks that a message is not sent by a claim
// that is too old by the store's clock.
func TestAMachineThatWasSuspendedBeforeItSendsSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t)
		failed := s.end(s.job("j", "", xxladapter.Settings{}), 500, "")
		suspended, healthy := &fakeChannel{name: "suspended"}, &fakeChannel{name: "healthy"}
		startMonitor(t, Options{Store: &suspendingStore{Store: s.store}, Node: "suspended", Channels: []Channel{suspended}, Logger: quiet})
		synctest.Wait()
		require.Empty(t, suspended.alarms())
		s.monitor("healthy", healthy)
		time.Sleep(time.Hour)
		require.Equal(t, 1, len(suspended.alarms())+len(healthy.alarms()))
		require.Equal(t, xxladapter.AlarmSent, s.status(failed))
	})
}
