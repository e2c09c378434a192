package admin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/declare"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// ownerOfCode is the owner of jobs that executors declare.
const ownerOfCode = "executor"

// declareName is how versions and the audit name the call.
const declareName = http.MethodPost + " " + wire.AdminPath + wire.OpDeclare

// A codeForm is the body of [wire.OpDeclare].
type codeForm struct {
	Jobs      []declare.JobEntry `json:"jobs"`      // without app names
	Overwrite []string           `json:"overwrite"` // keys of jobs whose edits by others are overwritten
}

// A codeResult is the payload of the reply to [wire.OpDeclare].
type codeResult struct {
	Changes   []declare.Change `json:"changes"`
	Unchanged int              `json:"unchanged"`
	Kept      []declare.Kept   `json:"kept"`
}

// Declare creates and changes the jobs that an executor declares in its own group, all or
// nothing. It deletes none, leaves the schedules of existing jobs on or off, and leaves alone jobs
// that somebody else has edited; see [Server.editedByOthers].
func (s forExecutors) Declare(ctx context.Context, by access.Caller, body []byte) (any, error) {
	ctx = xxladapter.WithCall(xxladapter.ForUser(ctx), declareName)
	app, own := by.Own()
	switch {
	case !s.opts.AllowDeclare:
		return nil, xxladapter.Refusef(xxladapter.CodeForbidden, errorrule.DeclaringNotPermitted,
			"executors must not declare jobs at this scheduler, which permits it only if started so "+
				"(xxlwheel serve --allow-declare)")
	case !own:
		return nil, xxladapter.Refusef(xxladapter.CodeForbidden, errorrule.SharedToken,
			"access token is that of all executors, must be that of the group whose jobs are declared")
	}
	var form codeForm
	if err := api.DecodeStrictly(body, &form); err != nil {
		return nil, err
	}
	source := &declare.Source{Document: declare.Document{Owner: ownerOfCode, Jobs: form.Jobs}}
	for i := range source.Jobs {
		e := &source.Jobs[i]
		if e.AppName != "" || e.GlueType != "" || e.GlueSource != "" || e.GlueSourceFile != "" || e.GlueRemark != "" {
			return nil, xxladapter.Invalidf(errorrule.NotFromCode,
				"job %q has an app name or a script, must have neither in a declaration from code",
				e.Key)
		}
		e.AppName = app
	}
	g, err := s.groupByApp(ctx, app)
	if err != nil {
		return nil, err
	}
	ctx = access.WithRights(ctx, access.NewRights(xxladapter.Grant{GroupID: g.ID, Role: xxladapter.RoleEditor}))
	ctx = api.WithRole(ctx, xxladapter.RoleEditor)
	plan, err := s.apply(ctx, source, declare.Options{
		Adopt: true, KeepRunning: true, // Keep looks at owners
		Keep: func(e *declare.JobEntry, before *xxladapter.Job, owner string) (string, error) {
			if owner != "" && owner != ownerOfCode {
				return fmt.Sprintf("its owner is %q", owner), nil
			}
			if slices.Contains(form.Overwrite, e.Key) {
				return "", nil
			}
			return s.editedByOthers(ctx, before)
		},
	}, false)
	if err != nil {
		return nil, problemsByKey(source, err)
	}
	return codeResult{plan.Changes, plan.Unchanged, plan.Kept}, nil
}

// editedByOthers returns why a job must not be changed by a declaration from code: its fields are
// not those that code has declared last. Whether the schedule is on does not count. It returns an
// empty reason if nobody else has edited the job.
func (s *Server) editedByOthers(ctx context.Context, j *xxladapter.Job) (reason string, err error) {
	versions, err := s.opts.Store.JobVersions(ctx, xxladapter.JobVersionFilter{JobID: j.ID})
	if err != nil {
		return "", err
	}
	for _, v := range versions { // newest first
		if v.Call != declareName || v.Actor.Kind != xxladapter.ActorExecutor {
			continue
		}
		declared, is := v.Job, *j
		declared.Running, is.Running = false, false
		if declared.VersionText() == is.VersionText() {
			return "", nil
		}
		return "it was edited since code declared it", nil
	}
	return "it was not declared from code", nil
}

// problemsByKey returns the error for a refused declaration with the keys of the jobs in place of
// their positions, and with all problems.
func problemsByKey(source *declare.Source, err error) error {
	var refused *declarationError
	if !errors.As(err, &refused) {
		return err
	}
	texts := make([]string, len(refused.problems))
	for i, p := range refused.problems {
		texts[i] = p.Message
		var n int
		if _, err := fmt.Sscanf(p.At, "jobs[%d]", &n); err == nil && n < len(source.Jobs) {
			texts[i] = fmt.Sprintf("job %q: %s", source.Jobs[n].Key, p.Message)
		}
	}
	return xxladapter.Invalidf(errorrule.Declaration, "%s", strings.Join(texts, "; "))
}
