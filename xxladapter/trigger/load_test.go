package trigger

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A slowStore takes a second to read a row.
type slowStore struct {
	Store
	job    *xxladapter.Job // nil means that there is none
	groups map[int64]error // nil means that it exists
}

func (s *slowStore) Job(context.Context, int64) (*xxladapter.Job, error) {
	time.Sleep(time.Second) // in a bubble
	if s.job == nil {
		return nil, xxladapter.ErrNotFound
	}
	return s.job, nil
}

func (s *slowStore) Group(_ context.Context, id int64) (*xxladapter.Group, error) {
	time.Sleep(time.Second) // in a bubble
	if err := s.groups[id]; err != nil {
		return nil, err
	}
	return &xxladapter.Group{ID: id, Addresses: []string{"http://a:1"}}, nil
}

func TestLoad(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	for _, c := range []struct {
		name      string
		job       *xxladapter.Job
		groups    map[int64]error
		planned   int64 // the fire's group
		took      time.Duration
		err       error
		addresses int
	}{
		{"known", &xxladapter.Job{GroupID: 7}, nil, 7, time.Second, nil, 1},
		{"planned when the job was gone", &xxladapter.Job{GroupID: 7}, nil, 0, 2 * time.Second, nil, 1},
		{"moved", &xxladapter.Job{GroupID: 7}, map[int64]error{8: broken}, 8, 2 * time.Second, nil, 1},
		{"without a group", &xxladapter.Job{}, map[int64]error{0: xxladapter.ErrNotFound}, 0, 2 * time.Second, nil, 0},
		{"the group is gone", &xxladapter.Job{GroupID: 7}, map[int64]error{7: xxladapter.ErrNotFound}, 7, time.Second, nil, 0},
		{"the group cannot be read", &xxladapter.Job{GroupID: 7}, map[int64]error{7: broken}, 7, time.Second, broken, 0},
		{"the job is gone", nil, nil, 7, time.Second, xxladapter.ErrNotFound, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				h := handOver(t, Options{Store: &slowStore{job: c.job, groups: c.groups}})
				begin := time.Now()
				r, err := h.load(t.Context(), xxladapter.Fire{JobID: 1, GroupID: c.planned})
				require.Equal(t, c.took, time.Since(begin))
				require.ErrorIs(t, err, c.err)
				if err != nil {
					return
				}
				require.Equal(t, c.job, r.job)
				require.Equal(t, c.job.GroupID, r.group.ID)
				require.Len(t, r.group.Addresses, c.addresses)
			})
		})
	}
}
