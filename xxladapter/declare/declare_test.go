package declare

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// stored returns a state with two groups and several jobs, one of which has a key.
func stored() *State {
	job := func(id, group int64, name string, children ...int64) *xxladapter.Job {
		j := &xxladapter.Job{
			ID: id, GroupID: group, Name: name, Author: "ops", Handler: "h", ScheduleType: xxladapter.ScheduleCron, ScheduleConf: "0 0 2 * * ?",
			ChildIDs: children, GlueUpdated: time.Unix(1, 0), Updated: time.Unix(id, 0),
		}
		j.SetDefaults()
		j.SetTags([]string{"one", "two words"})
		return j
	}
	return &State{
		Groups: []*xxladapter.Group{{ID: 1, AppName: "billing", Title: "Billing"}, {ID: 2, AppName: "mail", Title: "mail"}},
		Jobs:   []*xxladapter.Job{job(1, 1, "Nightly invoices", 2, 99), job(2, 2, "发送 邮件"), job(3, 1, "Nightly  invoices!"), job(4, 1, "Old")},
		Keys:   []xxladapter.JobKey{{JobID: 4, GroupID: 1, Key: "old", Owner: "team"}},
	}
}

// options returns the options for a store on 1 March 2026.
func options() Options {
	return Options{
		Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC),
		First: func(j *xxladapter.Job) (func(time.Time) (time.Time, error), error) {
			if strings.Contains(j.ScheduleConf, "bad") {
				return nil, xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be %s", "scheduleConf", j.ScheduleConf, "good")
			}
			return func(after time.Time) (time.Time, error) {
				if j.ScheduleConf == "over" {
					return time.Time{}, xxladapter.Invalidf(errorrule.ScheduleOver, "%s is over, must have a due time", "scheduleConf")
				}
				return after.Add(time.Hour), nil
			}, nil
		},
		Children: func(id int64) ([]int64, error) {
			for _, j := range stored().Jobs {
				if j.ID == id {
					return j.ChildIDs, nil
				}
			}
			return nil, nil
		},
	}
}

func read(t testing.TB, text string) *Source {
	t.Helper()
	source, problems := Read([]File{{Name: "jobs.yaml", Text: text}})
	require.Empty(t, problems)
	return source
}

func compare(t testing.TB, text string, state *State, opts Options) (*Plan, []string) {
	t.Helper()
	source := read(t, text)
	plan, problems, err := Compare(&source.Document, state, opts)
	require.NoError(t, err)
	var shown []string
	for _, p := range source.Locate(problems) {
		shown = append(shown, p.String())
	}
	return plan, shown
}

// say returns what a plan changes, one line for each group or job.
func (p *Plan) say() (lines []string) {
	for _, c := range p.Changes {
		line := fmt.Sprintf("%s %s %s/%s", c.Action, c.Kind, c.AppName, c.Key)
		for _, f := range c.Fields {
			if c.Action == Edit {
				line += fmt.Sprintf(" %s:%s>%s", f.Field, f.Before, f.After)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// TestAPrunedJobIsPartOfNoCycle deletes one job of a cycle, which XXL-JOB allows.
func TestAPrunedJobIsPartOfNoCycle(t *testing.T) {
	state, opts := stored(), options()
	for _, j := range state.Jobs {
		j.ChildIDs = map[int64][]int64{1: {2}, 2: {4}, 4: {1}}[j.ID]
	}
	opts.Children = func(id int64) ([]int64, error) { return state.Jobs[id-1].ChildIDs, nil }
	const text = "owner: team\njobs: [{appName: billing, key: nightly-invoices, author: ops, executorHandler: h, children: [mail/发送-邮件]}]"
	_, problems := compare(t, text, state, opts)
	require.Len(t, problems, 1)
	opts.Prune = true
	plan, problems := compare(t, text, state, opts)
	require.Empty(t, problems)
	require.Equal(t, int64(4), plan.Declaration.Remove[0].ID)
}

// TestAnExportedScriptWithCarriageReturnsIsAsDeclared exports a script that another tool has stored
// with carriage returns. What is declared otherwise has none.
func TestAnExportedScriptWithCarriageReturnsIsAsDeclared(t *testing.T) {
	state := stored()
	j := state.Jobs[3]
	j.GlueType, j.GlueSource = xxladapter.GlueShell, "echo one\r\necho two"
	doc := state.Export(Export{Owner: "team"})
	plan, problems, err := Compare(doc, state, options())
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Empty(t, plan.Changes)

	doc.Jobs[0].GlueSource = "echo one\r\necho 2"
	plan, problems, err = Compare(doc, state, options())
	require.NoError(t, err)
	require.Empty(t, problems)
	require.Equal(t, "echo one\necho 2", plan.Declaration.Jobs[0].GlueSource)
}

func TestExportedJobsAreAsDeclared(t *testing.T) {
	doc := stored().Export(Export{})
	require.Equal(t, []string{"billing/nightly-invoices", "billing/nightly-invoices-2", "billing/old", "mail/发送-邮件"}, names(doc))
	require.Equal(t, []string{"mail/发送-邮件"}, doc.Jobs[0].Children, "a child that is gone has no key")
	require.Equal(t, []GroupEntry{{AppName: "billing", Title: "Billing"}, {AppName: "mail", Title: "mail"}}, doc.Groups)
	require.Equal(t, xxladapter.RouteStrategy(""), doc.Jobs[0].ExecutorRouteStrategy, "a default")
	text, err := doc.YAML()
	require.NoError(t, err)
	require.Contains(t, string(text), "# yaml-language-server: $schema="+SchemaURL+"\n")

	plan, problems := compare(t, string(text), stored(), options())
	require.Empty(t, problems)
	require.Equal(t, 3, plan.Unchanged, "two groups, and the job that has its key already")
	require.Equal(t, []string{
		`change job billing/nightly-invoices key:>"nightly-invoices" owner:>""`,
		`change job billing/nightly-invoices-2 key:>"nightly-invoices-2" owner:>""`,
		`change job mail/发送-邮件 key:>"发送-邮件" owner:>""`,
	}, plan.say(), "only their keys are stored")
	for _, j := range plan.Declaration.Jobs {
		require.False(t, j.Edit || j.Switch || j.Reschedule)
	}

	state := stored()
	for _, j := range MissingKeys(state).Jobs {
		state.Keys = append(state.Keys, xxladapter.JobKey{JobID: j.ID, GroupID: j.GroupID, Key: j.Key})
	}
	plan, problems = compare(t, string(text), state, options())
	require.Empty(t, problems)
	require.Empty(t, plan.Changes)
	require.Empty(t, plan.Declaration.Jobs)

	require.Equal(t, []string{"billing/old"}, names(stored().Export(Export{Owner: "team"})))
	require.Equal(t, []string{"mail/发送-邮件"}, names(stored().Export(Export{App: "mail"})))
	require.NotNil(t, doc.Jobs[0].Running)
	require.Nil(t, stored().Export(Export{WithoutRunning: true}).Jobs[0].Running)
}

// TestGroupsOfOneAppNameCountAsOne has two groups of one app name, which only a Java admin makes.
// Each has a job with the same key.
func TestGroupsOfOneAppNameCountAsOne(t *testing.T) {
	twice := func() *State {
		state := stored()
		state.Groups[1].AppName = "billing"
		state.Keys = append(state.Keys, xxladapter.JobKey{JobID: 2, GroupID: 2, Key: "old"})
		return state
	}
	state := twice()
	doc := state.Export(Export{})
	require.Equal(t, []GroupEntry{{AppName: "billing", Title: "Billing"}}, doc.Groups)
	require.Equal(t, []string{"billing/nightly-invoices", "billing/nightly-invoices-2", "billing/old", "billing/old-2"}, names(doc))
	require.Equal(t, []string{"old-2"}, doc.Jobs[0].Children)
	text, err := doc.YAML()
	require.NoError(t, err)

	plan, problems := compare(t, string(text), state, options())
	require.Empty(t, problems)
	for _, j := range plan.Declaration.Jobs {
		require.Equal(t, state.Jobs[j.ID-1].GroupID, j.GroupID, "a job stays in its group")
		require.False(t, j.Edit || j.Switch || j.Reschedule)
		state.Keys = slices.DeleteFunc(state.Keys, func(k xxladapter.JobKey) bool { return k.JobID == j.ID })
		state.Keys = append(state.Keys, xxladapter.JobKey{JobID: j.ID, GroupID: j.GroupID, Key: j.Key, Owner: j.Owner})
	}
	plan, problems = compare(t, string(text), state, options())
	require.Empty(t, problems)
	require.Empty(t, plan.say(), "nothing is left to do the second time")

	plan, problems = compare(t, "jobs: [{appName: billing, key: new, author: ops, executorHandler: h}]", twice(), options())
	require.Empty(t, problems)
	require.EqualValues(t, 1, plan.Declaration.Jobs[0].GroupID, "the first one")
}

func names(doc *Document) (all []string) {
	for _, j := range doc.Jobs {
		all = append(all, j.AppName+"/"+j.Key)
	}
	return all
}

func TestWhatADocumentChanges(t *testing.T) {
	opts := options()
	opts.Prune = true
	plan, problems := compare(t, `
owner: team
groups:
- {appName: billing, title: Bills}
- {appName: new-app, addressList: ["http://10.0.0.1:9999/"]}
jobs:
- {appName: new-app, key: a, author: x, executorHandler: h, children: [b, billing/nightly-invoices], running: true, scheduleType: FIX_RATE, scheduleConf: 30}
- {appName: new-app, key: b, author: x, executorHandler: h, children: [billing/nightly-invoices-2]}
- {appName: billing, key: nightly-invoices, name: Nightly invoices, author: ops, executorHandler: h, scheduleType: CRON, scheduleConf: "0 0 3 * * ?", tags: [two words, one], children: [new-app/b]}
`, stored(), opts)
	require.Empty(t, problems)
	require.Equal(t, []string{
		`change group billing/ title:"Billing">"Bills"`, `create group new-app/`, `create job new-app/a`, `create job new-app/b`,
		`change job billing/nightly-invoices key:>"nightly-invoices" owner:>"team" scheduleConf:"0 0 2 * * ?">"0 0 3 * * ?" children:["mail/发送-邮件"]>["new-app/b"]`,
		`delete job billing/old`,
	}, plan.say())
	d := plan.Declaration
	require.Equal(t, []xxladapter.SeenJob{{ID: 4, Updated: time.Unix(4, 0)}}, d.Remove)
	require.Equal(t, []int64{-2, 1}, d.Jobs[0].ChildIDs)
	require.Equal(t, []int64{3}, d.Jobs[1].ChildIDs)
	require.Equal(t, []int64{-2, 99}, d.Jobs[2].ChildIDs, "the child that the caller cannot see stays")
	require.True(t, d.Jobs[0].Switch && d.Jobs[0].Running && !d.Jobs[1].Switch && !d.Jobs[2].Switch)
	require.Equal(t, "team", d.Jobs[2].Owner)
	require.Equal(t, time.Unix(1, 0), d.Jobs[2].GlueUpdated, "no new version of a source")
	require.Equal(t, []int64{1}, plan.Edits[2].NewChildren)
}

func TestTheScheduleOfADeclaredJob(t *testing.T) {
	const entry = "{appName: mail, key: k, name: 发送 邮件, author: ops, executorHandler: h, scheduleType: %s, scheduleConf: '%s', tags: [one, two words]%s}"
	for name, tt := range map[string]struct {
		running, waits                bool // as stored, with CRON and 0 0 2 * * ?
		kind, conf, rest              string
		switches, reschedules, states bool
		problem                       string
	}{
		"nothing said":          {true, false, "CRON", "0 0 2 * * ?", "", false, false, true, ""},
		"on, and stays on":      {true, false, "CRON", "0 0 2 * * ?", ", running: true", false, false, true, ""},
		"on, to be off":         {true, false, "CRON", "0 0 2 * * ?", ", running: false", true, false, false, ""},
		"off, to be on":         {false, false, "CRON", "0 0 2 * * ?", ", running: true", true, false, true, ""},
		"a new schedule":        {true, false, "CRON", "0 0 3 * * ?", "", false, true, true, ""},
		"a new zone":            {true, false, "CRON", "0 0 2 * * ?", ", settings: {zone: UTC}", false, true, true, ""},
		"off, another schedule": {false, false, "CRON", "0 0 3 * * ?", "", false, false, false, ""},
		"it waits":              {true, true, "CRON", "0 0 3 * * ?", "", false, false, true, ""},
		"another type":          {true, true, "FIX_RATE", "30", "", false, true, true, ""},
		"a bad schedule":        {false, false, "CRON", "bad", "", false, false, false, `scheduleConf is "bad"`},
		"on, without due times": {true, false, "ONCE", "over", "", false, false, false, "scheduleConf is over"},
	} {
		state := stored()
		state.Keys = append(state.Keys, xxladapter.JobKey{JobID: 2, GroupID: 2, Key: "k"})
		j := state.Jobs[1]
		if j.Running = tt.running; tt.waits {
			j.TriggerNext = xxladapter.AfterRun
		}
		plan, problems := compare(t, "jobs: ["+fmt.Sprintf(entry, tt.kind, tt.conf, tt.rest)+"]", state, options())
		if tt.problem != "" {
			require.Contains(t, strings.Join(problems, "\n"), tt.problem, name)
			continue
		}
		require.Empty(t, problems, name)
		is := xxladapter.DeclaredJob{Job: xxladapter.Job{Running: tt.states}}
		if len(plan.Declaration.Jobs) > 0 {
			is = plan.Declaration.Jobs[0]
		}
		require.Equal(t, []bool{tt.switches, tt.reschedules, tt.states}, []bool{is.Switch, is.Reschedule, is.Running}, name)
	}

	// A schedule that has ended is not started again.
	state := stored()
	state.Keys = append(state.Keys, xxladapter.JobKey{JobID: 2, GroupID: 2, Key: "k"})
	state.Jobs[1].ScheduleType, state.Jobs[1].ScheduleConf = xxladapter.ScheduleOnce, "over"
	plan, problems := compare(t, "jobs: ["+fmt.Sprintf(entry, "ONCE", "over", ", running: true")+"]", state, options())
	require.Empty(t, problems)
	require.Empty(t, plan.Changes)
}

func TestProblemsNameFileLineAndField(t *testing.T) {
	for text, want := range map[string][]string{
		"jobs:\n- appName: billing\n  key: k\n  author: a\n  executorHandler: h\n  executorTimeout: soon": {`jobs.yaml:6: jobs[0].executorTimeout: executorTimeout is "soon", must be an integer`},
		"jobs:\n- appNam: x\n": {`jobs.yaml:2: jobs[0]: unknown field "appNam"`},
		"owner: a\nowner: b":   {`jobs.yaml:2: owner: owner is given twice, must be given once`},
		"jobs: 5":              {`jobs.yaml:1: jobs: jobs is "5", must be a list`},
		"jobs:\n- x":           {`jobs.yaml:2: jobs[0]: jobs[0] is "x", must be a mapping`},
		"[]":                   {`jobs.yaml:1: the document is a list, must be a mapping`},
		"jobs:\n- key: [k":     {`jobs.yaml:1: not YAML: did not find expected ',' or ']'`}, // as the YAML library counts
		"jobs:\n- {running: 1, key: true, author: {}}":                             {`jobs.yaml:2: jobs[0].running: running is "1", must be true or false`, `jobs.yaml:2: jobs[0].key: key is "true", must be a text`, `jobs.yaml:2: jobs[0].author: author is a mapping, must be a text`},
		"jobs:\n- glueSourceFile: ../x":                                            {`jobs.yaml:2: jobs[0].glueSourceFile: glueSourceFile is "../x", must be a relative path below the folder of the declaration`},
		"jobs:\n- glueSourceFile: x.sh":                                            {`jobs.yaml:2: jobs[0].glueSourceFile: glueSourceFile is "x.sh", must be one of the given files: there is no x.sh`},
		"jobs:\n- {}\n---\njobs:\n- {}\n- glueSourceFile: x.sh":                    {`jobs.yaml:6: jobs[2].glueSourceFile: glueSourceFile is "x.sh", must be one of the given files: there is no x.sh`},
		"owner: a\n---\nowner: b":                                                  {`jobs.yaml:3: owner: owner is "b", must be "a" as in the other files`},
		"jobs:\n- &a\n  <<: *a\n  appNam: x":                                       {`jobs.yaml:2: jobs[0]: the mapping merges itself`, `jobs.yaml:4: jobs[0]: unknown field "appNam"`},
		"x: &a [1,1,1,1]\nb: &b [*a,*a]":                                           {`jobs.yaml:1: unknown field "x"`, `jobs.yaml:2: unknown field "b"`},
		"jobs:\n- glueSource: x\n  glueSourceFile: y":                              {`jobs.yaml:3: jobs[0].glueSourceFile: glueSource and glueSourceFile are both given, must be one of them`},
		"jobs: [{appName: billing, key: k, executorTimeout: 9999999999999999999}]": {`jobs.yaml:1: jobs[0].executorTimeout: executorTimeout is "9999999999999999999", must be an integer`},
	} {
		source, problems := Read([]File{{Name: "jobs.yaml", Text: text}})
		var shown []string
		for _, p := range source.Locate(problems) {
			shown = append(shown, p.String())
		}
		require.Equal(t, want, shown, text)
	}

	opts := options()
	opts.Check = func(before, j *xxladapter.Job) error {
		if j.AlarmEmail == "no" {
			return xxladapter.Invalidf(errorrule.Email, "%s is no, must be an address", "alarmEmail")
		}
		return nil
	}
	const good = "jobs:\n- {appName: billing, key: k, author: a, executorHandler: h}\n"
	for text, want := range map[string]string{
		"jobs:\n- {appName: billing, key: a b, author: a, executorHandler: h}":                                          `jobs.yaml:2: jobs[0].key: key is "a b", must have letters, digits, dots, hyphens and underscores only`,
		good + "- {appName: billing, key: k, author: a, executorHandler: h}":                                            `jobs.yaml:3: jobs[1].key: key is "k", must be declared once for appName "billing": jobs[0] has it too`,
		"jobs:\n- {appName: nobody, key: k, author: a, executorHandler: h}":                                             `jobs.yaml:2: jobs[0].appName: appName is "nobody", must be the app name of a group that exists or is declared`,
		"jobs:\n- {appName: billing, key: k, author: a}":                                                                `jobs.yaml:2: jobs[0].executorHandler: executorHandler is empty, a BEAN job must name its handler`,
		good + "  # more\n- appName: billing\n  key: l\n  author: a\n  executorHandler: h\n  settings:\n    zone: Mars": `jobs.yaml:9: jobs[1].settings.zone: zone is "Mars", must be an IANA time zone such as Europe/Berlin`,
		"jobs:\n- {appName: billing, key: k, author: a, executorHandler: h,\n   alarmEmail: no}":                        `jobs.yaml:3: jobs[0].alarmEmail: alarmEmail is no, must be an address`,
		"jobs:\n- {appName: billing, key: k, author: a, executorHandler: h, executorTimeout: -1}":                       `jobs.yaml:2: jobs[0].executorTimeout: executorTimeout is -1s, must be whole seconds, 0 or more`,
		"jobs:\n- {appName: billing, key: k, author: a, executorHandler: h, children: [k]}":                             `jobs.yaml:2: jobs[0].children[0]: children contains "k", must be another job`,
		"jobs:\n- {appName: billing, key: k, author: a, executorHandler: h, children: [mail/x]}":                        `jobs.yaml:2: jobs[0].children[0]: children contains "mail/x", must be the key of a job that exists or is declared`,
		"calendars:\n- {name: office, weekend: [SUNDAY, SUNDAY]}":                                                       `jobs.yaml:2: calendars[0].weekend: weekend names SUNDAY twice, must name each weekday once`,
		"calendars:\n- name: office\n  years:\n  - {year: 2026, off: [2026-13-01]}":                                     `jobs.yaml:2: calendars[0].off: off of 2026 has "2026-13-01", must be a day of that year such as 2026-05-01`,
		"calendars:\n- {name: office}\n- {name: office}":                                                                `jobs.yaml:3: calendars[1].name: name is "office", must be declared once`,
		"calendars:\n- {name: Office}":                                                                                  `jobs.yaml:2: calendars[0].name: name is "Office", must be 1 to 64 lower-case letters, digits, dots, hyphens and underscores, beginning with a letter`,
		"groups:\n- {appName: abc}":                                                                                     `jobs.yaml:2: groups[0].appName: appName has 3 characters, must have 4 to 64`,
		"groups:\n- {appName: twice}\n- {appName: twice}":                                                               `jobs.yaml:3: groups[1].appName: appName is "twice", must be declared once`,
		"owner: other\njobs:\n- {appName: billing, key: old, name: Old, author: a, executorHandler: h}":                 `jobs.yaml:3: jobs[0].key: key is "old", must not be that of a job whose owner is "team"`,
		"jobs:\n- {appName: billing, key: k, author: a, executorHandler: h, children: [l]}\n- {appName: billing, key: l, author: a, executorHandler: h, children: [mail/m]}\n- {appName: mail, key: m, author: a, executorHandler: h, children: [billing/k]}": `jobs.yaml:2: jobs[0].children: children lead back to the job itself: billing/k > billing/l > mail/m > billing/k`,
		"jobs:\n- {appName: mail, key: 发送-邮件, author: ops, executorHandler: h, children: [billing/nightly-invoices]}":                                                                                                                                         `jobs.yaml:2: jobs[0].children: children lead back to the job itself: mail/发送-邮件 > billing/nightly-invoices > mail/发送-邮件`,
	} {
		_, problems := compare(t, text, stored(), opts)
		require.Equal(t, []string{want}, problems, text)
	}
	opts.Adopt = true
	_, problems := compare(t, "owner: other\njobs: [{appName: billing, key: old, author: a, executorHandler: h}]", stored(), opts)
	require.Empty(t, problems)
	// Without an owner a document adopts nothing, and changes what it names.
	for _, opts.Adopt = range []bool{false, true} {
		plan, problems := compare(t, "jobs: [{appName: billing, key: old, author: a, executorHandler: h}]", stored(), opts)
		require.Empty(t, problems)
		require.Len(t, plan.Declaration.Jobs, 1)
		require.Equal(t, "team", plan.Declaration.Jobs[0].Owner)
	}
	opts.Prune = true
	_, problems = compare(t, good, stored(), opts)
	require.Equal(t, []string{"jobs.yaml:1: owner: owner is missing, must be given for jobs that are no longer declared to be deleted"}, problems)
}

func TestMergeKeysAndScripts(t *testing.T) {
	source, problems := Read([]File{
		{Name: "team/jobs.yaml", Text: "jobs:\n- &usual {appName: billing, key: a, author: ops, executorHandler: h}\n" +
			"- {<<: *usual, key: b}\n- {<<: [{author: first}, *usual], key: c, glueType: GLUE_SHELL, glueSourceFile: scripts/c.sh}\n"},
		{Name: "team/scripts/c.sh", Text: "echo c\n"},
	})
	require.Empty(t, problems)
	require.Equal(t, []string{"billing/a", "billing/b", "billing/c"}, names(&source.Document))
	require.Equal(t, "ops", source.Jobs[1].Author)
	require.Equal(t, "first", source.Jobs[2].Author)
	require.Equal(t, "echo c\n", source.Jobs[2].GlueSource)
	require.Equal(t, []string{"team/x/y.sh"}, Scripts(File{"team/a.yaml", "jobs: [{glueSourceFile: x/y.sh}, {glueSourceFile: /z}, {glueSourceFile: ../z}]"}))
}

// TestNestedMergeKeys reads mappings that merge mappings with merge keys. A mapping's own fields
// win, then those of the earlier source with all that it merges. The YAML library agrees.
func TestNestedMergeKeys(t *testing.T) {
	agrees := func(t require.TestingT, text string) []JobEntry {
		source, problems := Read([]File{{"jobs.yaml", text}})
		require.Empty(t, problems, text)
		var parsed map[string]any
		require.NoError(t, yaml.Unmarshal([]byte(text), &parsed), text)
		data, err := json.Marshal(parsed)
		require.NoError(t, err)
		var want Document
		require.NoError(t, json.Unmarshal(data, &want))
		require.Equal(t, want.Jobs, source.Jobs, text)
		return source.Jobs
	}
	for text, want := range map[string]JobEntry{
		"- &p {name: p}\n- &a {<<: *p, key: a}\n- {<<: *a, name: mine}":                                {Name: "mine", Key: "a"},
		"- &p {name: p, key: p}\n- &a {<<: *p, key: a}\n- &b {<<: *a, author: b}\n- {<<: *b, name: c}": {Name: "c", Key: "a", Author: "b"},
		"- &p {name: p}\n- &q {author: q}\n- &a {<<: *p}\n- &b {<<: *q}\n- {<<: [*a, *b]}":             {Name: "p", Author: "q"},
		"- &p {name: p}\n- &a {<<: *p}\n- &b {name: b, key: b}\n- {<<: [*a, *b]}":                      {Name: "p", Key: "b"},
		"- &p {tags: [p]}\n- &a {<<: *p}\n- {<<: [*a, {tags: [b, c]}]}":                                {Tags: []string{"p"}},
		"- &p {settings: {zone: UTC}}\n- &a {<<: *p}\n- {<<: *a, settings: {calendar: c}}":             {Settings: &xxladapter.Settings{Calendar: "c"}},
	} {
		jobs := agrees(t, "jobs:\n"+text)
		require.Equal(t, want, jobs[len(jobs)-1], text)
	}
	rapid.Check(t, func(t *rapid.T) {
		text := "jobs:\n"
		for i := range rapid.IntRange(1, 8).Draw(t, "jobs") {
			var parts []string
			for _, field := range []string{"name", "key", "author", "alarmEmail"} {
				if rapid.Bool().Draw(t, field) {
					parts = append(parts, fmt.Sprintf("%s: j%d", field, i))
				}
			}
			if i > 0 {
				source := rapid.Map(rapid.IntRange(0, i-1), func(of int) string { return fmt.Sprint("*j", of) })
				merged := strings.Join(rapid.SliceOfN(source, 0, 3).Draw(t, "merged"), ", ")
				parts = slices.Insert(parts, rapid.IntRange(0, len(parts)).Draw(t, "where"), "<<: ["+merged+"]")
			}
			text += fmt.Sprintf("- &j%d {%s}\n", i, strings.Join(parts, ", "))
		}
		agrees(t, text)
	})

	for text, want := range map[string]string{
		"- &a {<<: {<<: *a}}":                                      "the mapping merges itself",
		"- &a {<<: [{name: x}, {<<: {<<: *a}}]}":                   "the mapping merges itself",
		"- {<<: {<<: {name: x, name: y}}}":                         "name is given twice, must be given once",
		"- {name: z, <<: {<<: {nam: x}}}":                          `unknown field "nam"`,
		"- {<<: [{<<: {name: x}}, {<<: [name]}]}":                  `"name", must be a mapping`,
		"- {<<: [{<<: {name: x}}, {<<: {name: [y]}}, {key: [k]}]}": "key is a list, must be a text",
	} {
		_, problems := Read([]File{{"jobs.yaml", "jobs:\n" + text}})
		require.Len(t, problems, 1, text)
		require.Contains(t, problems[0].Message, want, text)
	}
}

// TestNestedMergesCount reads small texts whose nested merges expand to many mappings, or to many
// fields that the job has already.
func TestNestedMergesCount(t *testing.T) {
	double := "jobs:\n- &j0 {}\n"
	for i := range 40 {
		double += fmt.Sprintf("- &j%d {<<: [*j%d, *j%d]}\n", i+1, i, i)
	}
	wide := "jobs:\n- &wide {"
	for i := range 1000 {
		wide += fmt.Sprintf("x%d: x, ", i)
	}
	wide += "}\n- &a {<<: *wide}\n- {<<: [" + strings.Repeat("*a, ", 20) + "]}\n"
	for _, text := range []string{double, wide} {
		r := &reader{source: &Source{places: map[string]place{}}, file: "jobs.yaml", nodes: 10_000}
		r.read(text)
		require.Negative(t, r.nodes)
		require.NotEmpty(t, r.problems)
		if text == double { // the other has too many unknown fields for another problem
			require.Len(t, r.problems, 1)
			require.Contains(t, r.problems[0].Message, "must have at most 1000000")
		}
	}
}

// TestValuesBeyondTheLimitAreAProblem reads the same text with every limit, so that each kind of
// value is once the first one beyond it. A document that lacks values is never returned silently.
func TestValuesBeyondTheLimitAreAProblem(t *testing.T) {
	const text = "jobs:\n- &usual {appName: billing, key: a, author: ops, executorHandler: h}\n- &b {<<: *usual, key: b}\n" +
		"- {<<: [*b, {<<: *b}], key: c}\n"
	all := 0
	for limit := 0; ; limit++ {
		r := &reader{source: &Source{places: map[string]place{}}, file: "jobs.yaml", nodes: limit}
		r.read(text)
		if r.nodes >= 0 {
			require.Empty(t, r.problems)
			require.Equal(t, []string{"billing/a", "billing/b", "billing/c"}, names(&r.source.Document))
			break
		}
		all++
		require.True(t, slices.ContainsFunc(r.problems, func(p Problem) bool {
			return strings.Contains(p.Message, "must have at most 1000000")
		}), "limit %d: %v", limit, r.problems)
	}
	require.Greater(t, all, 10)
}

// oddTexts are texts that YAML reads as something else unless they are quoted.
var oddTexts = []string{"<<", "=", "~", "null", "Null", "yes", "NO", "on", "0x1f", "0b1", "0o7", "1_000", "1:30", ".inf", "-.INF", ".nan", "1e3", "2026-11-23",
	"2026-11-23T10:00:00Z", "!!str", "!x", "&a", "*a", "|", ">-", "?", "? a", ": b", "-", "- a", "--- a", "---", "...", "# a", "a #b", "%YAML", "@a", "`a", "{}", "[", "a,b"}

// TestEveryTextSurvivesAFile writes jobs of any text as YAML and as JSON, and reads them again.
func TestEveryTextSurvivesAFile(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.String(), rapid.SampledFrom(oddTexts))
		doc := &Document{Owner: text.Draw(t, "owner"), Jobs: []JobEntry{{
			AppName: text.Draw(t, "app"), Key: "k", Name: text.Draw(t, "name"), ExecutorParam: strings.Join(rapid.SliceOf(text).Draw(t, "param"), "\n"),
			GlueSource: strings.Join(rapid.SliceOf(rapid.SampledFrom([]string{"", " ", "#!", "\t", "echo", "\r", "- x", "a: b", "'", "\"", "true", "30", "\u2028", "\ufeff"})).Draw(t, "source"), "\n"),
			Settings:   &xxladapter.Settings{Zone: text.Draw(t, "zone"), AlarmRecovered: true, MisfireLimit: 5}, ExecutorTimeout: 30,
		}}}
		want, err := json.Marshal(doc)
		require.NoError(t, err)
		for name, write := range map[string]func() ([]byte, error){"x.yaml": doc.YAML, "x.json": doc.JSON} {
			file, err := write()
			require.NoError(t, err)
			source, problems := Read([]File{{name, string(file)}})
			require.Empty(t, problems, "%s", file)
			got, err := json.Marshal(source.Document)
			require.NoError(t, err)
			require.Equal(t, string(want), string(got), "%s", file)
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add("jobs:\n- &a {<<: *a, key: k}\n- *a\n")
	f.Add("owner: x\ngroups: [{appName: y}]\n---\n{}")
	f.Fuzz(func(t *testing.T, text string) {
		source, problems := Read([]File{{"x.yaml", text}})
		source.Locate(problems)
		if len(problems) == 0 {
			_, _, err := Compare(&source.Document, stored(), options())
			require.NoError(t, err)
		}
	})
}

func TestKeysAreMadeOfNames(t *testing.T) {
	for name, want := range map[string]string{
		"Nightly invoices": "nightly-invoices", " -a-- b_c.d! ": "a-b_c.d", "结算": "结算", "!!": "job", "": "job", "\xffx": "x", strings.Repeat("é", 80): strings.Repeat("é", 64),
	} {
		require.Equal(t, want, KeyFrom(name))
		require.NoError(t, xxladapter.CheckJobKey("key", want))
	}
	long := &State{Groups: stored().Groups}
	for id := range int64(12) {
		long.Jobs = append(long.Jobs, &xxladapter.Job{ID: id + 1, GroupID: 1, Name: strings.Repeat("x", 70)})
	}
	keys := names(long.Export(Export{}))
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(keys))), 12)
}

// TestDeclaredCalendars declares two calendars for a store without any, and then for a store that
// has both, one of them with another note.
func TestDeclaredCalendars(t *testing.T) {
	const text = `
calendars:
- name: office
  note: ours
  weekend: [SATURDAY, SUNDAY]
  years:
  - year: 2026
    source: the company
    off: [2026-05-01, 2026-12-24]
    work: ["2026-05-09"]
---
calendars:
- name: night
jobs:
- {appName: billing, key: k, author: a, executorHandler: h, settings: {calendar: office}}
`
	state := stored()
	plan, problems := compare(t, text, state, options())
	require.Empty(t, problems)
	require.Len(t, plan.Declaration.Calendars, 2)
	office := plan.Declaration.Calendars[0]
	require.Equal(t, []xxladapter.Day{"0501", "1224"}, office.Years[0].Off)
	require.Equal(t, "night", plan.Changes[1].Name)
	require.Equal(t, Create, plan.Changes[1].Action)
	require.NotNil(t, plan.Edits[0].Calendar)

	seen := time.Unix(7, 0)
	was := *office
	was.Note, was.Updated = "theirs", seen
	state.Calendars = []*xxladapter.Calendar{&was, {Name: "other"}, {Name: "night"}}
	opts := options()
	opts.Prune = true
	plan, problems = compare(t, "owner: team\n---"+text, state, opts)
	require.Empty(t, problems)
	require.Len(t, plan.Declaration.Calendars, 1, "another calendar stays, and one that is as declared")
	require.Equal(t, Edit, plan.Changes[0].Action)
	require.Equal(t, []xxladapter.FieldChange{{Field: "note", Before: json.RawMessage(`"theirs"`), After: json.RawMessage(`"ours"`)}}, plan.Changes[0].Fields)
	require.Equal(t, seen, plan.Declaration.Calendars[0].Updated)

	state.Jobs[0].Settings.Calendar = "office"
	doc := state.Export(Export{})
	require.Len(t, doc.Calendars, 1, "those that jobs name")
	again, err := doc.YAML()
	require.NoError(t, err)
	source, problemsOf := Read([]File{{Name: "x.yaml", Text: string(again)}})
	require.Empty(t, problemsOf)
	is, err := source.Document.Calendars[0].Calendar()
	require.NoError(t, err)
	require.Equal(t, was.Fields(), is.Fields())
}

// TestJSONIsReadAsWritten checks JSON that YAML does not have, as encoders of other languages write
// it.
func TestJSONIsReadAsWritten(t *testing.T) {
	for text, want := range map[string]string{
		`\ud83d\ude00 \u0041\uD83D\uDE00`: "😀 A😀",
		`\ud83d alone`:                    "\ufffd alone",
		`a\/b \\/ \\ud83d \"`:             `a/b \/ \ud83d "`,
		"\u007f \u0085 \u2028 \ufeff":     "\u007f \u0085 \u2028 \ufeff",
		`\u0000 \u0085 \r\n\t`:            "\x00 \u0085 \r\n\t",
	} {
		file := "{\n\t\"jobs\": [\n\t\t{\"key\": \"a\", \"executorParam\": \"" + text + "\"},\n\t\t{\"kye\": \"b\"}]}"
		var by struct{ Jobs []JobEntry }
		require.NoError(t, json.Unmarshal([]byte(file), &by))
		require.Equal(t, want, by.Jobs[0].ExecutorParam)
		source, problems := Read([]File{{Name: "jobs.json", Text: file}})
		require.Len(t, problems, 1, text)
		require.Equal(t, `jobs.json:4: jobs[1]: unknown field "kye"`, problems[0].String())
		require.Equal(t, want, source.Jobs[0].ExecutorParam)
	}
	file := "\t{\t\"owner\"\r\n\t :\n\"a :\",\n\t\"groups\"\t:[\t{\"appName\"\n\n:true}\t]\t}\n\t"
	require.True(t, json.Valid([]byte(file)))
	source, problems := Read([]File{{Name: "jobs.json", Text: file}})
	require.Len(t, problems, 1)
	require.Equal(t, `jobs.json:6: groups[0].appName: appName is "true", must be a text`, problems[0].String())
	require.Equal(t, "a :", source.Owner)
}
