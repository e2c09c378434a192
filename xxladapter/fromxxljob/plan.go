package fromxxljob

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/cron"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
	"github.com/xxlwheel/xxlwheel/xxladapter/graph"
)

// Options configures [Compare]. From and Now must be set.
type Options struct {
	// From names the database. Under this name the store remembers what it took.
	From string
	// Sure allows a name under which the store has taken nothing yet, although it has taken jobs
	// under other names.
	Sure bool
	// Profile is the dialect in which the store's schedulers read cron expressions. The default is
	// [cron.Quartz].
	Profile cron.Profile
	// Now replaces the unknown times of a job.
	Now time.Time
}

// A Plan is what the store has to write.
type Plan struct {
	// Groups, Jobs and Users are new. Their IDs are those of the database, even if the store will
	// give them others. The same is true of ChildIDs and GroupID of a job, and of Groups of a user.
	Groups []*xxladapter.Group
	Jobs   []*xxladapter.Job
	Users  []User
	// Versions belong to new jobs, and Days are those that the store does not have.
	Versions []*xxladapter.GlueVersion
	Days     []xxladapter.DailyReport
	// IDs maps ids in the database to ids in the store, for rows that are not new. A group that was
	// merged into a new one has the negative id of that group in the database.
	IDs    map[Kind]map[int64]int64
	Report Report
}

// Compare returns what the store has to write to take as much of the database as it can. It changes
// the rows of db. The error is a conflict if the store has taken jobs before, but none under the
// name From, and opts.Sure is not set.
func Compare(db *Database, has *Target, opts Options) (*Plan, error) {
	known := len(has.Taken[KindGroup])+len(has.Taken[KindJob]) > 0
	if !known && len(has.Others) > 0 && !opts.Sure {
		return nil, xxladapter.Conflictf(errorrule.TakeoverOtherName,
			"jobs were taken from %s before: if this is the same database under another name, give that name "+
				"(xxlwheel takeover --source), and if it is another database, give %s",
			strings.Join(has.Others, " and "), opts.From)
	}
	p := planner{db: db, has: has, opts: opts, plan: Plan{
		IDs: map[Kind]map[int64]int64{KindGroup: {}, KindJob: {}, KindUser: {}},
	}}
	p.plan.Report = Report{
		From: opts.From, KeptIDs: has.KeepsIDs(), Served: db.Served(), Taken: []Job{}, Notes: []Note{},
	}
	if db.OwnTables {
		p.note(Advice, "database", 0, "", errorrule.TakeoverOwnTables,
			"xxlwheel has worked on this database: xxlwheel store copy also takes settings, pauses, keys and "+
				"accounts")
	}
	p.groups()
	p.jobs()
	p.versions()
	p.users()
	p.days()
	return &p.plan, nil
}

type planner struct {
	db   *Database
	has  *Target
	opts Options
	plan Plan
}

// note adds a note whose text is that of an error with the rule r.
func (p *planner) note(what, kind string, id int64, name string, r errorrule.Rule, format string, args ...any) {
	p.say(what, kind, id, name, xxladapter.Refusef("", r, format, args...))
}

func (p *planner) say(what, kind string, id int64, name string, said *xxladapter.Error) {
	p.plan.Report.Notes = append(
		p.plan.Report.Notes, Note{What: what, Kind: kind, ID: id, Name: name, Text: said.Message, Said: said},
	)
}

// leave adds a note that says why a job is not taken. Each of broken is an [xxladapter.Error].
func (p *planner) leave(j *xxladapter.Job, broken xxladapter.BrokenRules) {
	var said *xxladapter.Error
	errors.As(broken.Together(), &said)
	p.say(Left, "job", j.ID, j.Name, said)
}

func (p *planner) groups() {
	first := map[string]int64{} // the ids of new groups, by app name
	ids, count := p.plan.IDs[KindGroup], &p.plan.Report.Groups
	withNew := map[int64]bool{} // groups with jobs that are taken now
	for _, j := range p.db.Jobs {
		if _, before := p.has.Taken[KindJob][j.ID]; !before && !withNew[j.GroupID] {
			trial, mended := planner{has: p.has, opts: p.opts}, *j // its notes come with the jobs
			withNew[j.GroupID] = len(trial.mend(&mended)) == 0
		}
	}
	for _, g := range p.db.Groups {
		// A group that was removed since stays so, unless a new job needs it.
		if id, taken := p.has.Taken[KindGroup][g.ID]; taken && (p.has.GroupIDs[id] || !withNew[g.ID]) {
			ids[g.ID] = id
			count.Before++
			continue
		}
		if id, exists := p.has.GroupsByApp[g.AppName]; exists {
			ids[g.ID] = id
			count.Before++
			p.note(Changed, "group", g.ID, g.AppName, errorrule.TakeoverGroupJoins,
				"its jobs join the group of this app name that the store has, %d",
				id)
			continue
		}
		if id, twice := first[g.AppName]; twice {
			ids[g.ID] = -id // see Plan.IDs
			count.Left++
			p.note(Changed, "group", g.ID, g.AppName, errorrule.TakeoverGroupTwice,
				"has the app name of group %d, which its jobs join",
				id)
			continue
		}
		first[g.AppName] = g.ID
		p.mendGroup(g)
		if err := g.Validate(); err != nil {
			p.note(Advice, "group", g.ID, g.AppName, errorrule.TakeoverGroupBroken, "cannot be saved until it is mended: %v",
				err)
		}
		p.plan.Groups = append(p.plan.Groups, g)
		count.Taken++
	}
}

// mendGroup truncates a title that is too long for the store's column, and removes registered
// addresses.
func (p *planner) mendGroup(g *xxladapter.Group) {
	if limit := p.has.Title; limit > 0 && len([]rune(g.Title)) > limit {
		p.note(Changed, "group", g.ID, g.AppName, errorrule.TakeoverTruncated,
			"%s is %q, the store has room for %d characters",
			"title", g.Title, limit)
		g.Title = xxladapter.FirstCharacters(g.Title, limit)
	}
	if g.AddressType == xxladapter.AddressAuto {
		g.Addresses = nil // until the executors register
	}
}

func (p *planner) jobs() {
	known := map[int64]bool{}
	for _, g := range p.db.Groups {
		known[g.ID] = true
	}
	count := &p.plan.Report.Jobs
	taken := map[int64]bool{} // now, or before and still there
	for _, j := range p.db.Jobs {
		if id, before := p.has.Taken[KindJob][j.ID]; before {
			p.plan.IDs[KindJob][j.ID] = id
			taken[j.ID] = p.has.JobIDs[id]
			count.Before++
			if p.has.JobIDs[id] { // otherwise it was deleted since
				// Somebody may have mended the schedule since.
				starts := p.starts(p.has.Schedules[id])
				p.plan.Report.Taken = append(
					p.plan.Report.Taken, Job{From: j.ID, ID: id, Name: j.Name, On: j.Running, Starts: starts},
				)
			}
			continue
		}
		broken := xxladapter.BrokenRules{xxladapter.Absent("group", j.GroupID)}
		if known[j.GroupID] {
			broken = p.mend(j)
		}
		if len(broken) > 0 {
			count.Left++
			p.leave(j, broken)
			continue
		}
		p.advise(j)
		taken[j.ID] = true
		count.Taken++
		is := Job{From: j.ID, Name: j.Name, On: j.Running, New: true}
		is.Starts = p.starts(Schedule{j.ScheduleType, j.ScheduleConf})
		if p.plan.Report.KeptIDs {
			is.ID = j.ID
		}
		p.plan.Report.Taken = append(p.plan.Report.Taken, is)
		p.plan.Jobs = append(p.plan.Jobs, j)
	}
	for _, j := range p.plan.Jobs {
		kept := slices.DeleteFunc(slices.Clone(j.ChildIDs), func(id int64) bool { return !taken[id] || id == j.ID })
		if len(kept) < len(j.ChildIDs) {
			p.note(Changed, "job", j.ID, j.Name, errorrule.TakeoverChildren,
				"children are %v, is taken with %v: the others do not exist, or are the job itself",
				j.ChildIDs, kept)
			j.ChildIDs = kept
		}
		j.Running = false
	}
	p.cycles()
}

// cycles adds a note for each cycle of new jobs that trigger each other. They are taken as they
// are, since they may be meant so, and schedulers run them as XXL-JOB does.
func (p *planner) cycles() {
	var jobs []graph.Job
	byID := map[int64]*xxladapter.Job{}
	for _, j := range p.plan.Jobs { // no job that was taken before has one of these as a child
		jobs = append(jobs, graph.Job{ID: j.ID, Children: j.ChildIDs})
		byID[j.ID] = j
	}
	for _, ids := range graph.Of(jobs).Cycles {
		p.note(Advice, "job", ids[0], byID[ids[0]].Name, errorrule.TakeoverChildCycle,
			"jobs %v trigger each other without end: XXL-JOB allows that, and here edits of them are refused until "+
				"the cycle is broken",
			ids)
	}
}

// mend replaces values that XXL-JOB's form refuses although its tables allow them. It returns the
// rules that the job still breaks; such a job cannot be taken.
func (p *planner) mend(j *xxladapter.Job) xxladapter.BrokenRules {
	mend := func(field string, value *string, most int, instead string) {
		was := *value
		is := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) {
				return ' '
			}
			return r
		}, was)
		if strings.TrimSpace(is) == "" {
			is = instead
		}
		if is = xxladapter.FirstCharacters(is, most); is != was {
			p.note(Changed, "job", j.ID, j.Name, errorrule.TakeoverReplaced, "%s is %q, was %q", field, is, was)
			*value = is
		}
	}
	mend("name", &j.Name, 255, fmt.Sprintf("job %d", j.ID))
	mend("author", &j.Author, 64, "unknown")
	mend("alarmEmail", &j.AlarmEmail, 255, "")
	j.SetDefaults()
	if j.RetryCount < 0 || j.Timeout < 0 {
		p.note(Changed, "job", j.ID, j.Name, errorrule.TakeoverNegative,
			"executorFailRetryCount is %d and executorTimeout is %v, negative ones become 0",
			j.RetryCount, j.Timeout)
		j.RetryCount, j.Timeout = max(j.RetryCount, 0), max(j.Timeout, 0)
	}
	if limit := p.has.Param; limit > 0 && len([]rune(j.Param)) > limit {
		return xxladapter.BrokenRules{xxladapter.Invalidf(errorrule.TakeoverNoRoom,
			"%s has %d characters, the store has room for %d",
			"executorParam", len([]rune(j.Param)), limit)}
	}
	j.Added = cmp.Or(j.Added, p.opts.Now)
	j.Updated = cmp.Or(j.Updated, j.Added)
	j.GlueUpdated = cmp.Or(j.GlueUpdated, j.Added)
	checked := *j
	checked.ChildIDs = nil // those that do not exist are dropped later
	return checked.Broken()
}

// starts reports whether the store's schedulers could start a job with the schedule: it is not
// NONE, and they can read it.
func (p *planner) starts(s Schedule) bool {
	_, err := cron.ParsePlan(string(s.Type), s.Conf, time.UTC, p.opts.Profile)
	return err == nil && s.Type != xxladapter.ScheduleNone
}

// advise adds a note about a schedule that the store's schedulers refuse. The note has one that
// they accept, if there is one.
func (p *planner) advise(j *xxladapter.Job) {
	_, err := cron.ParsePlan(string(j.ScheduleType), j.ScheduleConf, time.UTC, p.opts.Profile)
	if err == nil {
		return
	}
	if j.ScheduleType != xxladapter.ScheduleCron {
		p.note(Advice, "job", j.ID, j.Name, errorrule.TakeoverScheduleBroken,
			"cannot be started until its schedule is mended: %v",
			err)
		return
	}
	if strict := Strict(j.ScheduleConf); strict != "" {
		p.note(Advice, "job", j.ID, j.Name, errorrule.TakeoverScheduleLenient,
			"scheduleConf is %q, which XXL-JOB alone reads: write %q, or start schedulers with the profile xxl34 "+
				"(xxlwheel serve --cron-profile=xxl34; %v)",
			j.ScheduleConf, strict, err)
		return
	}
	if _, err := cron.Parse(j.ScheduleConf, cron.XXL34); err == nil {
		p.note(Advice, "job", j.ID, j.Name, errorrule.TakeoverScheduleRewrite,
			"scheduleConf is %q, which XXL-JOB alone reads: write it anew, or start schedulers with the profile "+
				"xxl34 (xxlwheel serve --cron-profile=xxl34)",
			j.ScheduleConf)
		return
	}
	p.note(Advice, "job", j.ID, j.Name, errorrule.TakeoverScheduleBroken,
		"cannot be started until its schedule is mended: %v",
		err)
}

// Strict returns an expression of the default dialect that fires at the times at which XXL-JOB
// fires expr. It compares their first 200 times from 2026 on. The text is empty if XXL-JOB cannot
// read expr, or if no such expression is known.
func Strict(expr string) string {
	lenient, err := cron.Parse(expr, cron.XXL34)
	if err != nil {
		return ""
	}
	strict, err := cron.Parse(lenient.String())
	if err != nil {
		return ""
	}
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	a, b := begin, begin
	for range 200 {
		if a, b = lenient.Next(a), strict.Next(b); !a.Equal(b) {
			return ""
		}
		if a.IsZero() {
			break
		}
	}
	return strict.String()
}

func (p *planner) versions() {
	isNew := map[int64]bool{}
	for _, j := range p.plan.Jobs {
		isNew[j.ID] = true
	}
	count := &p.plan.Report.Versions
	for _, v := range p.db.Versions {
		switch {
		case isNew[v.JobID]:
			v.Added = cmp.Or(v.Added, p.opts.Now)
			p.plan.Versions = append(p.plan.Versions, v)
			count.Taken++
		case p.plan.IDs[KindJob][v.JobID] != 0:
			count.Before++
		default:
			count.Left++
		}
	}
	if count.Left > 0 {
		p.note(Left, "version", 0, "", errorrule.TakeoverVersionsLeft,
			"%d versions of scripts belong to jobs that do not exist or were left",
			count.Left)
	}
}

func (p *planner) users() {
	count := &p.plan.Report.Users
	for _, u := range p.db.Users {
		id, before := p.has.Taken[KindUser][u.ID]
		switch {
		case before:
			p.plan.IDs[KindUser][u.ID] = id
			count.Before++
		case p.has.UserNames[u.Name]:
			count.Left++
			p.note(Left, "user", u.ID, u.Name, errorrule.TakeoverUserExists,
				"the store has a user with this name, or had one")
		default:
			p.plan.Users = append(p.plan.Users, u)
			count.Taken++
		}
	}
}

// days leaves out the days whose figures an admin still changes: a day that the store has is never
// taken again.
func (p *planner) days() {
	count := &p.plan.Report.Days
	for _, d := range p.db.Days {
		switch {
		case p.has.Days[d.Day]:
			count.Before++
		case p.db.changes(d.Day):
			count.Left++
		default:
			p.plan.Days = append(p.plan.Days, d)
			count.Taken++
		}
	}
	if count.Left > 0 {
		p.note(Left, "day", 0, "", errorrule.TakeoverDaysLeft,
			"XXL-JOB still counts the figures of %d days: a takeover after it has stopped takes them",
			count.Left)
	}
}
