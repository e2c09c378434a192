package declare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// children resolves the references to child jobs. A job that is new in this document is named by
// its place, see [xxladapter.DeclaredJob]. Children that the state does not have are kept: the
// caller cannot see them, or another program has removed them.
func (c *comparison) children(at string, e *JobEntry, d *declared) {
	for n, ref := range e.Children {
		to := parseRef(e.AppName, ref)
		place, declared := c.entries[to]
		job := c.x.jobs[to]
		where := fmt.Sprintf("%s.children[%d]", at, n)
		switch {
		case to == d.name:
			c.report(where, xxladapter.Invalidf(errorrule.ChildItself, "%s contains %q, must be another job",
				"children", ref))
		case job != nil && c.pruned(to, job):
			c.report(where, xxladapter.Invalidf(errorrule.ChildPruned,
				"%s contains %q, must not be a job that is deleted because it is no longer declared",
				"children", ref))
		case job != nil:
			d.after.ChildIDs = append(d.after.ChildIDs, job.ID)
		case declared:
			d.after.ChildIDs = append(d.after.ChildIDs, -int64(place)-1)
		default:
			c.report(where, xxladapter.Invalidf(errorrule.ChildUnknown,
				"%s contains %q, must be the key of a job that exists or is declared",
				"children", ref))
		}
	}
	if d.before != nil {
		var shown, hidden []int64
		for _, id := range d.before.ChildIDs {
			if _, known := c.x.names[id]; known {
				shown = append(shown, id)
			} else {
				hidden = append(hidden, id)
			}
		}
		if slices.Equal(shown, d.after.ChildIDs) {
			d.after.ChildIDs = d.before.ChildIDs // in the stored order
		} else {
			d.after.ChildIDs = append(d.after.ChildIDs, hidden...)
		}
	}
	// Ids that are not known yet are taken to be long ones.
	long := slices.Clone(d.after.ChildIDs)
	for i, id := range long {
		if id < 0 {
			long[i] = 1e12
		}
	}
	column := xxladapter.Job{ID: -1, ChildIDs: long}
	if err := column.CheckChildren(); err != nil {
		c.report(at+".children", err)
	}
}

// pruned reports whether a stored job is deleted because it is not declared.
func (c *comparison) pruned(n name, j *xxladapter.Job) bool {
	_, declared := c.entries[n]
	return c.opts.Prune && !declared && c.x.keys[j.ID].Owner == c.doc.Owner
}

// childRefs returns references to the children of a declared job; j is d.before or d.after.
func (c *comparison) childRefs(d *declared, j *xxladapter.Job) []string {
	refs := []string{}
	for _, id := range j.ChildIDs {
		if id < 0 {
			refs = append(refs, c.jobs[-id-1].ref(d.app))
		} else {
			refs = append(refs, c.x.refs(d.app, []int64{id})...)
		}
	}
	return refs
}

// cycles refuses children by which a job would trigger itself, through any number of other jobs. It
// identifies jobs by their ids, and new jobs by their places. A job that stays as it is has the
// children that are stored.
func (c *comparison) cycles() error {
	is := map[int64]*declared{}
	for i := range c.jobs {
		d := &c.jobs[i]
		switch {
		case d.after == nil, d.kept:
		case d.before != nil:
			is[d.before.ID] = d
		default:
			is[-int64(i)-1] = d
		}
	}
	const open, done = 1, 2
	state := map[int64]int{}
	var path []int64
	var walk func(id int64) error
	walk = func(id int64) error {
		switch state[id] {
		case done:
			return nil
		case open:
			c.reportCycle(is, path[slices.Index(path, id):])
			return nil
		}
		state[id] = open
		path = append(path, id)
		children, err := c.childrenOf(is, id)
		if err != nil {
			return err
		}
		for _, child := range children {
			if err := walk(child); err != nil {
				return err
			}
		}
		state[id], path = done, path[:len(path)-1]
		return nil
	}
	for i := range c.jobs {
		id := -int64(i) - 1
		if before := c.jobs[i].before; before != nil {
			id = before.ID
		}
		if err := walk(id); err != nil {
			return err
		}
	}
	return nil
}

func (c *comparison) childrenOf(is map[int64]*declared, id int64) ([]int64, error) {
	if d := is[id]; d != nil {
		return d.after.ChildIDs, nil
	}
	if id < 0 {
		return nil, nil
	}
	if n, known := c.x.names[id]; known && c.pruned(n, c.x.jobs[n]) {
		return nil, nil // it triggers nothing once it is deleted
	}
	return c.opts.Children(id)
}

// reportCycle reports a cycle at one of its declared jobs. Jobs that do not exist for the caller
// are shown as dots.
func (c *comparison) reportCycle(is map[int64]*declared, path []int64) {
	words := make([]string, 0, len(path)+1)
	at := ""
	for _, id := range append(slices.Clone(path), path[0]) {
		word := "..."
		if n, known := c.x.names[id]; known {
			word = n.app + "/" + n.key
		} else if d := is[id]; d != nil {
			word = d.app + "/" + d.key
		}
		words = append(words, word)
		if d := is[id]; d != nil && at == "" {
			at = placeOf(c.entries[d.name]) + ".children"
		}
	}
	if at != "" {
		c.report(at, xxladapter.Invalidf(errorrule.ChildrenCycle, "%s lead back to the job itself: %s",
			"children", strings.Join(words, " > ")))
	}
}
