package admin

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
)

// maxDeclared limits the jobs that one transaction changes, because schedulers wait for it.
const maxDeclared = 2000

// An applyForm holds declarations to apply.
type applyForm struct {
	Files []declare.File `json:"files" doc:"Declarations in YAML or JSON, and the scripts that they name. They are applied as one."`
	Prune bool           `json:"prune,omitempty" doc:"Delete the jobs of the declarations' owner that the declarations do not name."`
	Adopt bool           `json:"adopt,omitempty" doc:"Declare also jobs that another owner has declared."`
}

type applyQuery struct {
	DryRun bool `query:"dryRun" doc:"Only say what would change."`
}

// An applyResult says what applying declarations has changed.
type applyResult struct {
	DryRun    bool             `json:"dryRun,omitempty" doc:"True if nothing was changed."`
	Changes   []declare.Change `json:"changes" doc:"What has changed, or would change, field by field."`
	Unchanged int              `json:"unchanged" doc:"How many calendars, groups and jobs are as declared."`
}

// A declarationError refuses declarations, and lists all their problems.
type declarationError struct {
	error
	problems []declare.Problem
}

func (e *declarationError) Unwrap() error { return e.error }

// Detail adds all problems, and the first one in Chinese.
func (e *declarationError) Detail(body *api.Error) {
	body.Problems, body.Chinese = inChinese(e.problems)
}

// refuseDeclarations returns the error for problems. Its message is that of the first one.
//
// REQUIRES: problems is not empty.
func refuseDeclarations(problems []declare.Problem) error {
	first := problems[0]
	return &declarationError{xxladapter.Invalidf(errorrule.Declaration, "%s", first.String()), problems}
}

// inChinese returns the problems with messages in Chinese, where their rules are known, and the
// text of the first one with its place.
func inChinese(problems []declare.Problem) (told []declare.Problem, first string) {
	told = slices.Clone(problems)
	for i, p := range told {
		var user *xxladapter.Error
		if errors.As(p.Err, &user) {
			told[i].Chinese = api.ErrorOf(user).Chinese
		}
	}
	if first = told[0].Chinese; first != "" {
		first = strings.TrimSuffix(told[0].String(), told[0].Message) + first
	}
	return told, first
}

// applyFiles applies declarations, all or nothing.
func (s *Server) applyFiles(ctx context.Context, q applyQuery, form applyForm) (no applyResult, err error) {
	source, problems := declare.Read(form.Files)
	if len(problems) > 0 {
		return no, refuseDeclarations(source.Locate(problems))
	}
	if owner := source.Document.Owner; owner == ownerOfCode {
		err := xxladapter.Invalidf(errorrule.OwnerOfCode, "%s is %q, must not be that of jobs declared from code",
			"owner", owner)
		return no, refuseDeclarations(source.Locate([]declare.Problem{{At: "owner", Message: err.Error(), Err: err}}))
	}
	plan, err := s.apply(ctx, source, declare.Options{Prune: form.Prune, Adopt: form.Adopt}, q.DryRun)
	if err != nil {
		return no, err
	}
	return applyResult{q.DryRun, plan.Changes, plan.Unchanged}, nil
}

// apply compares declarations with the store, and carries out what differs unless it is a dry run.
// The changes of the returned plan have the ids of new jobs. apply tries at most three times while
// somebody else changes the same jobs.
func (s *Server) apply(
	ctx context.Context, source *declare.Source, how declare.Options, dryRun bool,
) (*declare.Plan, error) {
	for tries := 0; ; tries++ {
		plan, err := s.planDeclared(ctx, source, how)
		if err != nil || dryRun || len(plan.Changes) == 0 {
			return plan, err
		}
		if plan.Changes, err = s.carryOut(ctx, plan); err == nil {
			return plan, nil
		}
		if !errors.Is(err, xxladapter.ErrConflict) || tries == 2 {
			return nil, err
		}
	}
}

// planDeclared compares declarations with the store, and checks that the caller may change what
// differs. how has the options that the caller chose; planDeclared sets the others.
func (s *Server) planDeclared(ctx context.Context, source *declare.Source, how declare.Options) (*declare.Plan, error) {
	state, err := s.declaredState(ctx, &source.Document, how.Prune)
	if err != nil {
		return nil, err
	}
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return nil, err
	}
	all := access.WithRights(ctx, access.RightsForAll(xxladapter.RoleViewer))
	how.Now = now
	declared := map[string]bool{}
	for _, c := range source.Document.Calendars {
		declared[c.Name] = true
	}
	how.Check = func(before, j *xxladapter.Job) error { return s.checkDeclared(ctx, before, j, declared) }
	how.CheckGroup = s.checkGroup
	how.First = func(j *xxladapter.Job) (func(time.Time) (time.Time, error), error) {
		plan, err := s.plan(j)
		return func(after time.Time) (time.Time, error) { return s.nextDue(j, plan, after) }, err
	}
	how.Children = func(id int64) ([]int64, error) {
		j, err := s.opts.Store.Job(all, id) // a cycle may lead through what does not exist for the caller
		if errors.Is(err, xxladapter.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		return j.ChildIDs, nil
	}
	plan, problems, err := declare.Compare(&source.Document, state, how)
	switch {
	case err != nil:
		return nil, err
	case len(problems) > 0:
		return nil, refuseDeclarations(source.Locate(problems))
	case len(plan.Declaration.Jobs)+len(plan.Declaration.Remove) > maxDeclared:
		return nil, xxladapter.Invalidf(errorrule.EntriesAtMost, "%s change %d jobs, must change at most %d at a time",
			"files", len(plan.Declaration.Jobs)+len(plan.Declaration.Remove), maxDeclared)
	}
	return plan, s.allowPlan(ctx, state, plan)
}

// checkDeclared makes the checks of [Server.fill] that go beyond a job's own rules. before is nil
// for a new job, and calendars has the names of the calendars that are declared as well.
func (s *Server) checkDeclared(ctx context.Context, before, j *xxladapter.Job, calendars map[string]bool) error {
	var old xxladapter.Job
	if before != nil {
		old = *before
	}
	if j.AlarmEmail != old.AlarmEmail {
		if err := checkEmails(j.AlarmEmail); err != nil {
			return err
		}
	}
	if j.Settings.Calendar != old.Settings.Calendar && !calendars[j.Settings.Calendar] {
		return s.checkCalendar(ctx, j.Settings.Calendar)
	}
	return nil
}

// allowPlan refuses a plan unless the caller may make each of its changes in a call of its own.
func (s *Server) allowPlan(ctx context.Context, state *declare.State, plan *declare.Plan) error {
	groupOf := map[int64]int64{}
	for _, j := range state.Jobs {
		groupOf[j.ID] = j.GroupID
	}
	for _, e := range plan.Edits {
		switch {
		case e.Calendar != nil:
			if err := api.AllowRole(ctx, xxladapter.RoleAdmin, access.Everywhere, nil); err != nil {
				return err
			}
		case e.GroupAfter != nil && (e.GroupBefore == nil || redirected(e.GroupBefore, e.GroupAfter)):
			if err := api.AllowRole(ctx, xxladapter.RoleAdmin, access.Everywhere, nil); err != nil {
				return err
			}
		case e.GroupAfter != nil:
			if err := api.AllowRole(
				ctx, xxladapter.RoleAdmin, e.GroupAfter.ID, noSuchGroup(e.GroupAfter.ID),
			); err != nil {
				return err
			}
		case e.JobAfter == nil:
			if err := api.Allow(ctx, e.JobBefore.GroupID, noSuchGroup(e.JobBefore.GroupID)); err != nil {
				return err
			}
		default:
			var old xxladapter.Job
			if e.JobBefore != nil {
				old = *e.JobBefore
			}
			if err := api.Allow(ctx, e.JobAfter.GroupID, noSuchGroup(e.JobAfter.GroupID)); err != nil {
				return err
			}
			if err := allowScript(ctx, &old, e.JobAfter); err != nil {
				return err
			}
		}
		for _, child := range e.NewChildren {
			if err := api.AllowRole(ctx, xxladapter.RoleOperator, groupOf[child], noSuchChild(child)); err != nil {
				return err
			}
		}
	}
	return nil
}

// redirected reports whether a change of a group changes the addresses that are called.
func redirected(was, is *xxladapter.Group) bool {
	return is.AddressType != was.AddressType || !slices.Equal(is.Addresses, was.Addresses)
}

// carryOut stores the changes of a plan, and notifies whoever waits for such changes.
func (s *Server) carryOut(ctx context.Context, plan *declare.Plan) ([]declare.Change, error) {
	d := &plan.Declaration
	ids, err := s.opts.Store.Declare(ctx, d)
	if err != nil {
		return nil, err
	}
	if len(d.Groups) > 0 {
		s.opts.Tokens.Forget()
	}
	s.opts.JobChanged()
	if len(d.Remove) > 0 {
		s.opts.JobRemoved()
	}
	for _, e := range plan.Edits {
		if e.JobBefore != nil && e.JobAfter == nil {
			s.hub.Tell(events.Event{Topic: events.TopicJob, ID: e.JobBefore.ID, GroupID: e.JobBefore.GroupID})
		}
	}
	changes := slices.Clone(plan.Changes)
	next := 0
	for i, c := range changes {
		if c.Kind == xxladapter.AuditJob && c.Action != declare.Delete {
			changes[i].ID = ids[next]
			next++
		}
	}
	return changes, nil
}

// declaredState reads the state that a document is compared with: all calendars and groups, and all
// jobs of each group that has a job of the document, a child of one, or a job to prune.
func (s *Server) declaredState(ctx context.Context, doc *declare.Document, prune bool) (*declare.State, error) {
	state, err := s.groupsAndKeys(ctx)
	if err != nil {
		return nil, err
	}
	apps := map[string]bool{}
	for _, j := range doc.Jobs {
		apps[j.AppName] = true
		for _, ref := range j.Children {
			if i := strings.LastIndexByte(ref, '/'); i >= 0 {
				apps[ref[:i]] = true
			}
		}
	}
	groups := map[int64]bool{}
	for _, g := range state.Groups {
		groups[g.ID] = apps[g.AppName]
	}
	for _, k := range state.Keys {
		if prune && k.Owner == doc.Owner {
			groups[k.GroupID] = true
		}
	}
	return state, s.readJobs(ctx, state, groups)
}

func (s *Server) groupsAndKeys(ctx context.Context) (*declare.State, error) {
	groups, err := s.opts.Store.Groups(ctx)
	if err != nil {
		return nil, err
	}
	keys, err := s.opts.Store.JobKeys(ctx, 0)
	if err != nil {
		return nil, err
	}
	calendars, err := s.opts.Store.Calendars(ctx)
	return &declare.State{Calendars: calendars, Groups: groups, Keys: keys}, err
}

// readJobs adds the jobs of the groups, and the jobs of the groups in which their children are.
func (s *Server) readJobs(ctx context.Context, state *declare.State, groups map[int64]bool) error {
	known := map[int64]bool{}
	read := func(group int64) error {
		f := xxladapter.JobFilter{GroupID: group, Limit: api.MaxPage}
		for {
			jobs, err := s.opts.Store.Jobs(ctx, f)
			if err != nil {
				return err
			}
			for _, j := range jobs {
				if !known[j.ID] { // a child may have come to a group that was read before
					state.Jobs = append(state.Jobs, j)
				}
				known[j.ID], f.AfterID = true, j.ID
			}
			if len(jobs) < api.MaxPage {
				return nil
			}
		}
	}
	for group, wanted := range groups {
		if wanted {
			if err := read(group); err != nil {
				return err
			}
		}
	}
	for _, j := range slices.Clone(state.Jobs) {
		for _, id := range j.ChildIDs {
			if known[id] {
				continue
			}
			child, err := s.opts.Store.Job(ctx, id)
			if errors.Is(err, xxladapter.ErrNotFound) {
				known[id] = true
				continue
			}
			if err != nil {
				return err
			}
			if err := read(child.GroupID); err != nil {
				return err
			}
		}
	}
	slices.SortFunc(state.Jobs, func(a, b *xxladapter.Job) int { return int(min(max(a.ID-b.ID, -1), 1)) })
	return nil
}
