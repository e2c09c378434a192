package admin

import (
	"context"

	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
)

type tagList struct {
	Tags []tagCount `json:"tags" doc:"Ordered by their bytes."`
}

type tagCount struct {
	Tag  string `json:"tag"`
	Jobs int    `json:"jobs" doc:"The number of jobs that have the tag."`
}

func (s *Server) listTags(ctx context.Context, _ api.None) (list tagList, err error) {
	counts, err := s.opts.Store.CountTags(ctx, nil)
	list.Tags = []tagCount{}
	for _, c := range counts {
		list.Tags = append(list.Tags, tagCount{c.Tag, c.Jobs})
	}
	return list, err
}
