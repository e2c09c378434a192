package admin

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

// A slowStore stores an edit three seconds after the call, when the fires that fell due meanwhile
// have been claimed.
type slowStore struct{ *memstore.Store }

func (s slowStore) EditJobs(
	ctx context.Context, edits []xxladapter.JobEdit, whole bool,
) ([]xxladapter.JobEdited, error) {
	if edits[0].Act == xxladapter.ActUpdate || edits[0].Act == xxladapter.ActReschedule {
		time.Sleep(3 * time.Second) // in the bubble's time
	}
	return s.Store.EditJobs(ctx, edits, whole)
}

func TestASlowEditDoesNotRepeatWhatFiredMeanwhile(t *testing.T) {
	for conf, want := range map[string]time.Duration{
		"0/5 * * * * ?":  5 * time.Second,
		"0/4 * * * * ?":  4 * time.Second,
		"2/10 * * * * ?": 12 * time.Second, // 2 s has passed when it is stored, after 3 s
		// Neither 2 s nor 4 s, which has passed after 6 s. The third attempt is for a time that is
		// as far ahead as the first two took.
		"0/2 * * * * ?": 14 * time.Second,
	} {
		synctest.Test(t, func(t *testing.T) {
			store := memstore.New(time.Now)
			group, err := store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "some app"})
			require.NoError(t, err)
			j := &xxladapter.Job{GroupID: group, Name: "job", Author: "a", Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0/1 * * * * ?"}
			j.SetDefaults()
			id, err := xxladapter.CreateJob(t.Context(), store, j)
			require.NoError(t, err)
			begun := time.Now() // a full minute, as in every bubble
			require.NoError(t, storetest.StartAt(t.Context(), store, id, begun.Add(time.Second)))
			j, err = store.Job(t.Context(), id)
			require.NoError(t, err)

			changed := 0
			s, err := New(Options{
				Store: slowStore{store}, Completer: new(fakeCompleter), Zone: time.UTC,
				Logger: slog.New(slog.DiscardHandler), JobChanged: func() { changed++ },
			})
			require.NoError(t, err)
			ctx := access.WithRights(t.Context(), access.RightsForAll(xxladapter.RoleAdmin))
			require.NoError(t, s.change(ctx, j, &jobForm{ScheduleConf: &conf}))
			j, err = store.Job(t.Context(), id)
			require.NoError(t, err)
			require.Equal(t, want, j.TriggerNext.Sub(begun), conf)
			require.Equal(t, 1, changed)

			// An edit of a job that another caller has changed meanwhile ends at once.
			again := "0/7 * * * * ?"
			j.Updated = j.Updated.Add(-time.Second)
			require.ErrorIs(t, s.change(ctx, j, &jobForm{ScheduleConf: &again}), xxladapter.ErrConflict)
			require.Equal(t, 1, changed)
		})
	}
}
