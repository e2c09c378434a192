package admin

import (
	"context"
	"slices"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/graph"
)

type graphQuery struct {
	Job int64 `query:"job" doc:"Only this job, those that it triggers and those that trigger it, directly or not."`
}

// A graphForm shows jobs that have child or parent jobs.
type graphForm struct {
	Nodes  []graphNode `json:"nodes" doc:"By layer, then by id; at most 5000."`
	More   bool        `json:"more,omitempty" doc:"There are more than 5000 nodes."`
	Cycles [][]int64   `json:"cycles" doc:"Groups of jobs that trigger each other."`

	FailsWith []int64 `json:"failsWith,omitempty" doc:"With job: the jobs that are not triggered when that one fails."`
	DependsOn []int64 `json:"dependsOn,omitempty" doc:"With job: the jobs whose success leads to that one."`
}

type graphNode struct {
	ID       int64    `json:"id"`
	Name     string   `json:"name"`
	JobGroup int64    `json:"jobGroup"`
	Running  bool     `json:"running" doc:"Whether the schedule is on."`
	Layer    int      `json:"layer" doc:"0 for jobs without parents, otherwise one more than the highest layer of a parent. The jobs of a cycle share a layer."`
	Children []int64  `json:"children"`
	Missing  []int64  `json:"missing,omitempty" doc:"Children that do not exist, or not for the caller."`
	Last     *lastRun `json:"last,omitempty" doc:"The newest run."`
}

type lastRun struct {
	LogID     int64                `json:"logId"`
	Status    xxladapter.LogStatus `json:"status"`
	Triggered *time.Time           `json:"triggerTime,omitempty"`
}

// maxNodes is the largest number of nodes in an answer.
const maxNodes = 5000

func (s *Server) jobGraph(ctx context.Context, q graphQuery) (no graphForm, err error) {
	if q.Job != 0 {
		if _, err := s.job(ctx, q.Job); err != nil {
			return no, err
		}
	}
	var jobs []graph.Job
	byID := map[int64]*xxladapter.Job{}
	err = s.eachJob(ctx, xxladapter.JobFilter{}, func(j *xxladapter.Job) {
		jobs = append(jobs, graph.Job{ID: j.ID, Children: j.ChildIDs})
		byID[j.ID] = j
	})
	if err != nil {
		return no, err
	}
	g := graph.Of(jobs)
	form := graphForm{Nodes: []graphNode{}, Cycles: append([][]int64{}, g.Cycles...)}
	nodes := g.Nodes
	if q.Job != 0 {
		form.FailsWith, form.DependsOn = g.FailsWith(q.Job), g.DependsOn(q.Job)
		shown := append(slices.Concat(form.FailsWith, form.DependsOn), q.Job)
		slices.Sort(shown)
		has := func(id int64) bool { _, ok := slices.BinarySearch(shown, id); return ok }
		nodes = slices.DeleteFunc(nodes, func(n graph.Node) bool { return !has(n.ID) })
		form.Cycles = slices.DeleteFunc(form.Cycles, func(c []int64) bool { return !slices.ContainsFunc(c, has) })
	}
	if len(nodes) > maxNodes {
		nodes, form.More = nodes[:maxNodes], true
	}
	ids := make([]int64, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	last, err := s.opts.Store.LastRuns(ctx, ids)
	for _, n := range nodes {
		form.Nodes = append(form.Nodes, showNode(n, byID[n.ID], last))
	}
	return form, err
}

func showNode(n graph.Node, j *xxladapter.Job, last map[int64]xxladapter.LastRun) graphNode {
	node := graphNode{
		ID: n.ID, Name: j.Name, JobGroup: j.GroupID, Running: j.Running, Layer: n.Layer,
		Children: append([]int64{}, n.Children...), Missing: n.Missing,
	}
	if run, ran := last[n.ID]; ran {
		node.Last = &lastRun{run.LogID, run.Status, api.Given(run.Triggered)}
	}
	return node
}
