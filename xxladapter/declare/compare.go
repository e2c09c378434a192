package declare

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// Options say how a document is applied, and supply what a comparison cannot know. Now, First and
// Children must be set.
type Options struct {
	// Prune deletes the jobs of the document's owner that the document does not declare. A document
	// without an owner is then refused.
	Prune bool
	// Adopt gives the document's owner jobs that another owner has declared. A document without an
	// owner may change the jobs of every owner, and leaves each its owner.
	Adopt bool
	// KeepRunning leaves the schedules of stored jobs on or off, whatever the document says.
	KeepRunning bool
	// Keep returns the reason why a stored job stays as it is although it differs from its entry;
	// an empty reason applies the entry. The plan lists the jobs that stay. Nil applies all
	// entries.
	Keep func(e *JobEntry, before *xxladapter.Job, owner string) (reason string, err error)
	// Now is the time of the store's clock. It must be set.
	Now time.Time
	// Check refuses a job for a rule that a row alone cannot show, such as addresses of alarms.
	// before is nil for a new job. Nil checks nothing. Any other error than an [xxladapter.Error]
	// ends the comparison.
	Check func(before, job *xxladapter.Job) error
	// CheckGroup refuses a group; any error is a problem of the document. Nil checks nothing.
	CheckGroup func(*xxladapter.Group) error
	// First parses the schedule of a job, and returns a function that finds its first due time
	// after an instant. That function returns an error if there is none. It must be set.
	First func(*xxladapter.Job) (func(after time.Time) (time.Time, error), error)
	// Children returns the child jobs of a stored job, even of one that the caller may not see. It
	// must be set.
	Children func(id int64) ([]int64, error)
}

// A Plan is what has to be done for jobs to be as declared.
type Plan struct {
	Changes   []Change
	Unchanged int // declared calendars, groups and jobs that are as declared
	Kept      []Kept
	// Declaration is the plan in the form that a store carries out.
	Declaration xxladapter.Declaration
	// Edits are the changes of calendars, groups and jobs as whole values, in no particular order,
	// by which the caller's rights are checked.
	Edits []Edited
}

// A Kept is a declared job that stays as it is although it differs.
type Kept struct {
	Key    string `json:"key"`
	ID     int64  `json:"id"`
	Reason string `json:"reason"`
}

// An Edited is a job or a group before and after, or a calendar after. Before is nil for a new one,
// and After for a job that is deleted.
type Edited struct {
	Calendar                *xxladapter.Calendar
	JobBefore, JobAfter     *xxladapter.Job
	GroupBefore, GroupAfter *xxladapter.Group
	At                      string  // the place in the document
	NewChildren             []int64 // stored jobs that become children
}

// A comparison is the state of [Compare].
type comparison struct {
	doc      *Document
	opts     Options
	x        *index
	plan     *Plan
	problems []Problem
	failed   error        // of a check that could not be made
	entries  map[name]int // the places of declared jobs
	jobs     []declared   // by place
	// stored maps the places of changed jobs in the document to their places in the plan's
	// declaration, both in the form -n that [xxladapter.DeclaredJob] has for child ids.
	stored map[int64]int64
}

// A declared is a declared job; before is nil for a new one.
type declared struct {
	name
	before, after *xxladapter.Job
	kept          bool // it stays as before
}

// Compare returns what has to be done for the state to be as declared, or the problems for which
// the document cannot be applied. The error comes from a function of the options.
func Compare(doc *Document, state *State, opts Options) (*Plan, []Problem, error) {
	c := &comparison{
		doc: doc, opts: opts, x: newIndex(state), plan: &Plan{Changes: []Change{}}, entries: map[name]int{},
		stored: map[int64]int64{},
	}
	if err := xxladapter.CheckOwner("owner", doc.Owner); err != nil {
		c.report("owner", err)
	}
	if opts.Prune && doc.Owner == "" {
		c.report("owner", xxladapter.Invalidf(errorrule.OwnerOfPrune,
			"%s is missing, must be given for jobs that are no longer declared to be deleted",
			"owner"))
	}
	c.calendars(state.Calendars)
	c.groups()
	c.match()
	for i := range c.jobs {
		c.job(i)
	}
	if c.failed != nil {
		return nil, nil, c.failed
	}
	for i := 0; i < len(c.jobs) && len(c.problems) == 0; i++ {
		if err := c.add(i); err != nil {
			return nil, nil, err
		}
	}
	if err := c.cycles(); err != nil {
		return nil, nil, err
	}
	if len(c.problems) > 0 {
		return nil, c.problems, nil
	}
	c.renumber()
	if opts.Prune {
		c.prune(state)
	}
	return c.plan, nil, nil
}

func (c *comparison) report(at string, err error) {
	if len(c.problems) == maxProblems {
		return
	}
	c.problems = append(c.problems, Problem{At: at, Message: err.Error(), Err: err})
}

// groups compares the declared groups.
func (c *comparison) groups() {
	seen := map[string]bool{}
	for i, e := range c.doc.Groups {
		at := fmt.Sprintf("groups[%d]", i)
		if seen[e.AppName] {
			c.report(at+".appName", xxladapter.Invalidf(errorrule.DeclaredTwice, "%s is %q, must be declared once",
				"appName", e.AppName))
			continue
		}
		seen[e.AppName] = true
		before := c.x.groups[e.AppName]
		g := &xxladapter.Group{AppName: e.AppName, Title: e.AppName}
		if before != nil {
			same := *before
			g = &same
			g.Base = before // a token that is replaced meanwhile stays so
		}
		if e.Title != "" {
			g.Title = e.Title
		}
		if g.AddressType = xxladapter.AddressAuto; e.AddressList != nil {
			g.AddressType, g.Addresses = xxladapter.AddressManual, e.AddressList
		}
		err := g.Validate()
		if err == nil && c.opts.CheckGroup != nil {
			err = c.opts.CheckGroup(g)
		}
		if err != nil {
			c.report(at+"."+fieldOf(err.Error()), err)
			continue
		}
		if before == nil {
			c.x.groups[e.AppName] = g // with the id 0
			c.addGroup(Create, at, nil, g, xxladapter.DiffFields(nil, g.Fields()))
		} else if fields := xxladapter.DiffFields(before.Fields(), g.Fields()); len(fields) > 0 {
			c.addGroup(Edit, at, before, g, fields)
		} else {
			c.plan.Unchanged++
		}
	}
}

func (c *comparison) addGroup(
	action Action, at string, before, after *xxladapter.Group, fields []xxladapter.FieldChange,
) {
	c.plan.Changes = append(c.plan.Changes, Change{
		Action: action, Kind: xxladapter.AuditGroup, AppName: after.AppName, ID: after.ID, Fields: fields,
	})
	c.plan.Edits = append(c.plan.Edits, Edited{GroupBefore: before, GroupAfter: after, At: at})
	c.plan.Declaration.Groups = append(c.plan.Declaration.Groups, after)
}

// match finds the stored job of each declared one.
func (c *comparison) match() {
	c.jobs = make([]declared, len(c.doc.Jobs))
	for i, e := range c.doc.Jobs {
		d := declared{name: name{e.AppName, e.Key}}
		d.before = c.x.jobs[d.name]
		at := placeOf(i)
		if err := xxladapter.CheckJobKey("key", e.Key); err != nil {
			c.report(at+".key", err)
		}
		if first, twice := c.entries[d.name]; twice {
			c.report(at+".key", xxladapter.Invalidf(errorrule.DeclaredTwice,
				"%s is %q, must be declared once for appName %q: %s has it too",
				"key", e.Key, e.AppName, placeOf(first)))
		} else {
			c.entries[d.name] = i
		}
		c.jobs[i] = d
	}
}

func placeOf(i int) string { return fmt.Sprintf("jobs[%d]", i) }

// job computes what a declared job is to be, and checks it.
func (c *comparison) job(i int) {
	e, d, at := &c.doc.Jobs[i], &c.jobs[i], placeOf(i)
	d.after = e.job()
	g := c.x.groups[e.AppName]
	if g == nil {
		c.report(at+".appName", xxladapter.Invalidf(errorrule.DeclaredGroup,
			"%s is %q, must be the app name of a group that exists or is declared",
			"appName", e.AppName))
	} else {
		d.after.GroupID = g.ID
	}
	if d.before == nil {
		d.after.StripReturns(&xxladapter.Job{})
	} else {
		d.after.StripReturns(d.before)
		c.keep(e, d)
	}
	c.checkJob(at, d)
	c.children(at, e, d)
	if owner := c.ownerOf(d); owner != "" && c.doc.Owner != "" && owner != c.doc.Owner && !c.opts.Adopt {
		c.report(at+".key", xxladapter.Invalidf(errorrule.DeclaredElsewhere,
			"%s is %q, must not be that of a job whose owner is %q",
			"key", e.Key, owner))
	}
}

// job returns the job that an entry declares, without id, group and children.
func (e *JobEntry) job() *xxladapter.Job {
	j := &xxladapter.Job{
		Name: e.Name, Author: e.Author, AlarmEmail: e.AlarmEmail,
		ScheduleType: e.ScheduleType, ScheduleConf: e.ScheduleConf, Misfire: e.MisfireStrategy,
		Route: e.ExecutorRouteStrategy, Handler: strings.TrimSpace(e.ExecutorHandler), Param: e.ExecutorParam,
		Block:      e.ExecutorBlockStrategy,
		RetryCount: e.ExecutorFailRetryCount, GlueType: e.GlueType, GlueSource: e.GlueSource, GlueRemark: e.GlueRemark,
	}
	if j.Name == "" {
		j.Name = e.Key
	}
	j.Timeout = time.Duration(min(max(e.ExecutorTimeout, -1), 1<<32)) * time.Second // what is out of range stays so, and does not overflow
	if e.Settings != nil {
		j.Settings = *e.Settings
	}
	j.SetTags(e.Tags)
	j.Running = e.Running != nil && *e.Running
	j.SetDefaults()
	return j
}

// keep takes over from the stored job what a declaration does not say.
func (c *comparison) keep(e *JobEntry, d *declared) {
	d.after.ID, d.after.Updated, d.after.GlueUpdated = d.before.ID, d.before.Updated, d.before.GlueUpdated
	d.after.GroupID = d.before.GroupID // of two groups with one app name it may be the second
	if e.Running == nil || c.opts.KeepRunning {
		d.after.Running = d.before.Running
	}
	if d.after.GlueType != d.before.GlueType || d.after.GlueSource != d.before.GlueSource ||
		d.after.GlueRemark != d.before.GlueRemark {
		d.after.GlueUpdated = time.Time{} // a new version
	}
}

func (c *comparison) checkJob(at string, d *declared) {
	for _, broken := range d.after.Broken() {
		c.report(at+placeOfField(broken.Error()), broken)
	}
	if c.opts.Check != nil {
		switch err := c.opts.Check(d.before, d.after); {
		case err == nil:
		case !errors.As(err, new(*xxladapter.Error)):
			c.failed = errors.Join(c.failed, err)
		default:
			c.report(at+placeOfField(err.Error()), err)
		}
	}
	first, err := c.opts.First(d.after)
	if err == nil && d.after.Running && (d.before == nil || !d.before.SameSchedule(d.after)) {
		_, err = first(c.opts.Now)
	}
	if err != nil {
		c.report(at+".scheduleConf", err)
	}
}

// placeOfField returns the place in a job of the field with which a message begins.
func placeOfField(message string) string {
	field := fieldOf(message)
	if settingsFields[field] {
		return ".settings." + field
	}
	return "." + field
}

// settingsFields are the names of the fields of a job's settings.
var settingsFields = func() map[string]bool {
	names := map[string]bool{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[xxladapter.Settings]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		names[name] = true
	}
	return names
}()

func fieldOf(message string) string {
	field, _, _ := strings.Cut(message, " ")
	return field
}

func (c *comparison) ownerOf(d *declared) string {
	if d.before == nil {
		return ""
	}
	return c.x.keys[d.before.ID].Owner
}

// add adds a declared job to the plan, unless the stored job is as declared or [Options].Keep says
// that it stays as it is. The error comes from a function of the options.
func (c *comparison) add(i int) error {
	d := &c.jobs[i]
	key := xxladapter.JobKey{Key: d.key, Owner: c.doc.Owner}
	stored := xxladapter.DeclaredJob{Job: *d.after, App: d.app, Key: d.key}
	if d.before == nil {
		stored.Owner, stored.Switch, stored.First = key.Owner, d.after.Running, c.first(d.after)
		fields := xxladapter.DiffFields(nil, append(key.Fields(), c.fields(d, d.after)...))
		c.addJob(Create, i, stored, fields)
		return nil
	}
	had := c.x.keys[d.before.ID]
	if key.Owner == "" {
		key.Owner = had.Owner
	}
	stored.Owner = key.Owner
	if d.after.Running && !d.before.Running && d.before.SameSchedule(d.after) {
		if _, err := c.first(d.after)(c.opts.Now); err != nil {
			d.after.Running = false // the schedule has ended by itself
			stored.Running = false
		}
	}
	edits := xxladapter.DiffFields(c.fields(d, d.before), c.fields(d, d.after))
	stored.Edit = slices.ContainsFunc(edits, func(f xxladapter.FieldChange) bool { return f.Field != "running" })
	stored.Reschedule = d.before.RescheduledBy(d.after)
	stored.Switch = d.after.Running != d.before.Running
	if d.after.Running {
		stored.First = c.first(d.after)
	}
	keys := xxladapter.DiffFields(xxladapter.JobKey{Key: had.Key, Owner: had.Owner}.Fields(), key.Fields())
	fields := append(keys, edits...)
	if len(fields) == 0 {
		c.plan.Unchanged++
		return nil
	}
	if c.opts.Keep != nil {
		reason, err := c.opts.Keep(&c.doc.Jobs[i], d.before, had.Owner)
		if err != nil {
			return err
		}
		if reason != "" {
			d.kept = true
			c.plan.Kept = append(c.plan.Kept, Kept{Key: d.key, ID: d.before.ID, Reason: reason})
			return nil
		}
	}
	c.addJob(Edit, i, stored, fields)
	return nil
}

func (c *comparison) addJob(action Action, i int, stored xxladapter.DeclaredJob, fields []xxladapter.FieldChange) {
	d := &c.jobs[i]
	c.plan.Changes = append(c.plan.Changes, Change{
		Action: action, Kind: xxladapter.AuditJob, AppName: d.app, Key: d.key, Name: d.after.Name, ID: d.after.ID,
		Fields: fields,
	})
	edited := Edited{JobBefore: d.before, JobAfter: d.after, At: placeOf(i)}
	for _, id := range d.after.ChildIDs {
		if id > 0 && (d.before == nil || !slices.Contains(d.before.ChildIDs, id)) {
			edited.NewChildren = append(edited.NewChildren, id)
		}
	}
	c.plan.Edits = append(c.plan.Edits, edited)
	c.plan.Declaration.Jobs = append(c.plan.Declaration.Jobs, stored)
	c.stored[int64(-i-1)] = -int64(len(c.plan.Declaration.Jobs))
}

// renumber replaces the places of new children in the document by their places in the declaration,
// which contains only changed jobs.
func (c *comparison) renumber() {
	for i := range c.plan.Declaration.Jobs {
		j := &c.plan.Declaration.Jobs[i]
		j.ChildIDs = slices.Clone(j.ChildIDs)
		for n, id := range j.ChildIDs {
			if id < 0 {
				j.ChildIDs[n] = c.stored[id]
			}
		}
	}
}

// first returns the function that finds the first due time of a checked job.
func (c *comparison) first(j *xxladapter.Job) func(time.Time) (time.Time, error) {
	first, err := c.opts.First(j)
	if err != nil {
		return func(time.Time) (time.Time, error) { return time.Time{}, err }
	}
	return first
}

// fields returns the fields of a declared job, before or after, with children by their keys.
func (c *comparison) fields(d *declared, j *xxladapter.Job) (fields xxladapter.Fields) {
	for _, f := range j.Fields() {
		switch f.Name {
		case "jobGroup":
			continue
		case "childJobIds":
			f = xxladapter.Field{Name: "children", Value: c.childRefs(d, j)}
		}
		fields = append(fields, f)
	}
	return fields
}

// prune deletes the owner's jobs that are not declared.
func (c *comparison) prune(state *State) {
	for _, j := range state.Jobs {
		n, known := c.x.names[j.ID]
		if _, declared := c.entries[n]; declared || !known || c.x.keys[j.ID].Owner != c.doc.Owner {
			continue
		}
		fields := xxladapter.DiffFields(
			xxladapter.Fields{{Name: "name", Value: j.Name}, {Name: "running", Value: j.Running}}, nil,
		)
		c.plan.Changes = append(c.plan.Changes, Change{
			Action: Delete, Kind: xxladapter.AuditJob, AppName: n.app, Key: n.key, Name: j.Name, ID: j.ID,
			Fields: fields,
		})
		c.plan.Edits = append(c.plan.Edits, Edited{JobBefore: j, At: "owner"})
		c.plan.Declaration.Remove = append(c.plan.Declaration.Remove, xxladapter.SeenJob{ID: j.ID, Updated: j.Updated})
	}
}
