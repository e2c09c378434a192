package admin

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin/internal/api"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/events"
)

// started says when a job that was switched on is due first. The time is omitted if the job was on
// before and waits for the end of a run.
type started struct {
	Next *time.Time `json:"triggerNextTime,omitempty"`
}

func (s *Server) startJob(ctx context.Context, path api.IDPath) (no started, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	next, err := s.start(ctx, j)
	return started{api.Given(next)}, err
}

// start switches the schedule of a job on, unless the job was changed since it was read, and
// returns the first due time. A schedule that is already on is left as it is; its next due time is
// zero if it waits for the end of a run.
func (s *Server) start(ctx context.Context, j *xxladapter.Job) (next time.Time, err error) {
	switch {
	case j.Waits():
		return next, nil
	case j.Running:
		return j.TriggerNext, nil
	}
	plan, err := s.plan(j)
	if err != nil {
		return next, err
	}
	var none error // set if the schedule has no due time
	next, err = xxladapter.StartJob(ctx, s.opts.Store, j.ID, j.Updated, func(after time.Time) (next time.Time) {
		next, none = s.nextDue(j, plan, after)
		return next
	})
	if err = cmp.Or(err, none); err != nil {
		return time.Time{}, err
	}
	s.opts.JobChanged()
	return next, nil
}

func (s *Server) stopJob(ctx context.Context, path api.IDPath) (no api.None, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, xxladapter.StopJob(ctx, s.opts.Store, j.ID, j.Updated)
}

func (s *Server) removeJob(ctx context.Context, path api.IDPath) (no api.None, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	return no, s.remove(ctx, j)
}

func (s *Server) remove(ctx context.Context, j *xxladapter.Job) error {
	err := xxladapter.RemoveJob(ctx, s.opts.Store, j.ID)
	if err == nil {
		s.opts.JobRemoved()
		s.hub.Tell(events.Event{Topic: events.TopicJob, ID: j.ID, GroupID: j.GroupID})
	}
	return err
}

// copyJob creates a stopped job with everything that an operator sets on another one, including its
// glue source.
func (s *Server) copyJob(ctx context.Context, path api.IDPath, form *jobForm) (no api.Created, err error) {
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if form == nil {
		form = new(jobForm)
	}
	if form.ID != 0 {
		return no, xxladapter.Invalidf(errorrule.Omitted, "%s is %d, must be omitted for a new job", "id", form.ID)
	}
	copied := *j
	copied.ID, copied.Running = 0, false
	copied.TriggerLast, copied.TriggerNext = time.Time{}, time.Time{}
	copied.Added, copied.Updated = time.Time{}, time.Time{}
	if _, err := s.fill(ctx, &copied, form); err != nil {
		return no, err
	}
	id, err := xxladapter.CreateJob(ctx, s.opts.Store, &copied)
	return api.Created{ID: id}, err
}

// A triggerForm says how a manual run differs from the job's own runs.
type triggerForm struct {
	Param     *string  `json:"executorParam,omitempty" doc:"The parameter passed to the handler; defaults to the job's own."`
	Addresses []string `json:"addressList,omitempty" doc:"The executors to choose from; defaults to those of the group. They must be registered, or allowed by the scheduler's settings."`
}

// planned names the order that a call has placed, and its fire.
type planned struct {
	Order    int64 `json:"order" doc:"Finds the run; see /api/v1/orders/{id}."`
	Fire     int64 `json:"fire"`
	Repeated bool  `json:"repeated,omitempty" doc:"True if the key was known and nothing was started: the answer is that of the first call."`
}

// A triggerPath names a job to run, and may carry a key.
type triggerPath struct {
	api.IDPath
	Key *string `header:"Idempotency-Key" doc:"1 to 128 printable characters. A call with the key of an earlier call for this job starts nothing and returns that call's answer, so a call whose answer was lost can be repeated."`
}

func (s *Server) triggerJob(ctx context.Context, path triggerPath, form *triggerForm) (no planned, err error) {
	key, err := orderKey(path.Key)
	if err != nil {
		return no, err
	}
	j, err := s.job(ctx, path.ID)
	if err != nil {
		return no, err
	}
	if form == nil {
		form = new(triggerForm)
	}
	return s.trigger(ctx, j, xxladapter.TriggerManual, form, key)
}

// trigger plans a fire that is due now. It also works for stopped jobs.
func (s *Server) trigger(
	ctx context.Context, j *xxladapter.Job, by xxladapter.TriggerType, form *triggerForm, key string,
) (no planned, err error) {
	return s.order(ctx, j, xxladapter.Fire{Type: by}, form, key, digest(form))
}

// digest returns the SHA-256 of what a request asks for, in hexadecimal.
func digest(request any) string {
	data, err := json.Marshal(request)
	if err != nil {
		panic(err) // texts and numbers only
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// orderKey returns the key of a call, or empty if it has none. One that is given and empty is
// refused: the caller would repeat the call in the belief that it has a key.
func orderKey(given *string) (string, error) {
	if given == nil {
		return "", nil
	}
	key := *given
	unprintable := func(r rune) bool { return r < ' ' || r > '~' }
	if key == "" || len(key) > xxladapter.MaxOrderKey || strings.ContainsFunc(key, unprintable) {
		return "", xxladapter.Invalidf(errorrule.Characters,
			"%s has %d bytes, must have %d to %d printable ASCII characters",
			"Idempotency-Key", len(key), 1, xxladapter.MaxOrderKey)
	}
	return key, nil
}

// An orderForm is a trigger by a call, as the management API shows it.
type orderForm struct {
	ID      int64      `json:"id"`
	JobID   int64      `json:"jobId"`
	Fire    int64      `json:"fire"`
	Key     string     `json:"idempotencyKey,omitempty"`
	Created time.Time  `json:"addTime"`
	State   orderState `json:"state" doc:"PLANNED: it waits to be handed over. STARTED: logIds names its runs. DROPPED: it did not become a run."`
	LogIDs  []int64    `json:"logIds" doc:"The runs, one for each shard; empty until STARTED. Retries of a failed run have ids of their own."`
}

// An orderState is the progress of an order. It never goes back.
type orderState string

const (
	orderPlanned orderState = "PLANNED"
	orderStarted orderState = "STARTED"
	orderDropped orderState = "DROPPED"
)

// Values lists all states.
func (orderState) Values() []orderState {
	return []orderState{orderPlanned, orderStarted, orderDropped}
}

func (s *Server) showOrder(ctx context.Context, path api.IDPath) (no orderForm, err error) {
	o, err := s.opts.Store.Order(ctx, path.ID)
	if errors.Is(err, xxladapter.ErrNotFound) {
		return no, xxladapter.Absent("order", path.ID)
	}
	if err != nil {
		return no, err
	}
	state := orderDropped
	switch {
	case len(o.LogIDs) > 0:
		state = orderStarted
	case o.Open:
		state = orderPlanned
	}
	return orderForm{
		ID: o.ID, JobID: o.JobID, Fire: o.FireID, Key: o.Key, Created: o.Created, State: state,
		LogIDs: append([]int64{}, o.LogIDs...),
	}, nil
}

// checkAddresses refuses addresses that are neither registered for the job's group nor in the allow
// list, so that a caller cannot make the scheduler call an arbitrary host. The allow list is for
// operators of all groups: others could reach the executors of groups that are not granted to them.
func (s *Server) checkAddresses(ctx context.Context, j *xxladapter.Job, addrs []string) error {
	if len(addrs) == 0 {
		return nil
	}
	g, err := s.opts.Store.Group(ctx, j.GroupID)
	if err != nil {
		return err
	}
	everywhere := access.RightsOf(ctx).Decide(xxladapter.RoleOperator, access.Everywhere) == access.Allowed
	now, err := s.opts.Store.Now(ctx)
	if err != nil {
		return err
	}
	if len(g.Undrained(addrs, now)) == 0 {
		return xxladapter.Conflictf(errorrule.AllDrained,
			"%s has drained addresses only, must have another one, or a drain must be undone first",
			"addressList")
	}
	for _, addr := range addrs {
		if slices.Contains(g.Addresses, addr) {
			continue
		}
		if err := s.opts.Addresses.CheckURL("addressList", addr); err != nil {
			return err
		}
		if !everywhere || !s.opts.Addresses.Allows(addr) {
			return xxladapter.Invalidf(errorrule.GroupAddress, "%s contains %q, must be an address of group %s",
				"addressList", addr, g.AppName)
		}
	}
	return nil
}
