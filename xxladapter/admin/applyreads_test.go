package admin

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
)

// A growingStore calls grow before it looks for a job.
type growingStore struct {
	xxladapter.Store
	grow func()
}

func (s *growingStore) Job(ctx context.Context, id int64) (*xxladapter.Job, error) {
	s.grow()
	return s.Store.Job(ctx, id)
}

// TestAGroupWithANewChildIsReadOnce has a child come to a group after its jobs were read: no job is
// in the state twice.
func TestAGroupWithANewChildIsReadOnce(t *testing.T) {
	s := newSite(t)
	group, err := s.store.SaveGroup(t.Context(), &xxladapter.Group{AppName: "some-app", Title: "t"})
	require.NoError(t, err)
	create := func(name string, children ...int64) {
		j := &xxladapter.Job{GroupID: group, Name: name, Author: "a", Handler: "h", ChildIDs: children}
		j.SetDefaults()
		_, err := xxladapter.CreateJob(t.Context(), s.store, j)
		require.NoError(t, err)
	}
	create("parent", 2)
	s.server.opts.Store = &growingStore{s.store, func() { create("child") }}
	var state declare.State
	require.NoError(t, s.server.readJobs(t.Context(), &state, map[int64]bool{group: true}))
	var names []string
	for _, j := range state.Jobs {
		names = append(names, j.Name)
	}
	require.Equal(t, []string{"parent", "child"}, names)
}
