package jobs

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/printing"
)

// A jobView is the part of the API's job that is shown here.
type jobView struct {
	ID              int64          `json:"id"`
	JobGroup        int64          `json:"jobGroup"`
	Name            string         `json:"name"`
	Author          string         `json:"author"`
	AlarmEmail      string         `json:"alarmEmail"`
	ScheduleType    string         `json:"scheduleType"`
	ScheduleConf    string         `json:"scheduleConf"`
	MisfireStrategy string         `json:"misfireStrategy"`
	Route           string         `json:"executorRouteStrategy"`
	Handler         string         `json:"executorHandler"`
	Param           string         `json:"executorParam"`
	Block           string         `json:"executorBlockStrategy"`
	Timeout         int64          `json:"executorTimeout"`
	RetryCount      int            `json:"executorFailRetryCount"`
	GlueType        string         `json:"glueType"`
	GlueSource      string         `json:"glueSource"`
	GlueRemark      string         `json:"glueRemark"`
	Children        []int64        `json:"childJobIds"`
	Tags            []string       `json:"tags"`
	Settings        map[string]any `json:"settings"`
	Running         bool           `json:"running"`
	TriggerLast     *time.Time     `json:"triggerLastTime"`
	TriggerNext     *time.Time     `json:"triggerNextTime"`
}

func (j *jobView) status() string {
	if j.Running {
		return "running"
	}
	return "stopped"
}

func (j *jobView) schedule() string { return strings.TrimSpace(j.ScheduleType + " " + j.ScheduleConf) }

// what returns the handler, or the language of the script that runs in its place.
func (j *jobView) what() string {
	if j.GlueType != "" && j.GlueType != "BEAN" {
		return j.GlueType
	}
	return j.Handler
}

type listCmd struct {
	Name    string `placeholder:"TEXT" help:"Only jobs whose name contains this text."`
	App     string `xor:"group" placeholder:"NAME" help:"Only jobs of the executors with this app name."`
	Group   int64  `xor:"group" placeholder:"ID" help:"Only jobs of this group of executors."`
	Running bool   `xor:"state" help:"Only jobs whose schedule is on."`
	Stopped bool   `xor:"state" help:"Only jobs whose schedule is off."`
	Handler string `placeholder:"TEXT" help:"Only jobs whose handler contains this text."`
	Author  string `placeholder:"TEXT" help:"Only jobs whose author contains this text."`
	Tag     string `placeholder:"TAG" help:"Only jobs with this tag."`
	Type    string `predictor:"schedule-type" placeholder:"TYPE" help:"Only jobs with this schedule type: NONE, CRON, FIX_RATE, FIX_DELAY or ONCE."`
	Last    string `predictor:"last-result" name:"last-result" placeholder:"RESULT" help:"Only jobs whose newest ended run has this result: SUCCESS or FAIL; NONE selects jobs of which no run has ended."`
	Sort    string `predictor:"job-sort" placeholder:"COLUMN" help:"Order by ID (the default), NAME, GROUP, AUTHOR, HANDLER, ROUTE, TYPE, STATUS, NEXT, LAST, UPDATED or RESULT (failed first)."`
	Desc    bool   `help:"Reverse the order."`
	Light   bool   `help:"With -o json, leave out parameters and sources, which may be large."`
	Count   int    `short:"n" help:"Print at most this many (default: all)."`
	Total   bool   `help:"Only print how many jobs there are, exact up to 10000."`
}

func (c *listCmd) Run(inv *command.Invocation, parent *Cmd) error {
	if c.Count < 0 {
		return command.Usagef("-n is %d, must be 0 for all, or positive", c.Count)
	}
	if c.App != "" {
		group, err := parent.GroupOf(inv, c.App)
		if err != nil {
			return err
		}
		c.Group = group
	}
	query := url.Values{}
	for name, text := range map[string]string{
		"name": c.Name, "handler": c.Handler, "author": c.Author, "tag": c.Tag, "type": strings.ToUpper(c.Type),
		"sort":       strings.ToUpper(c.Sort),
		"lastResult": strings.ToUpper(c.Last),
	} {
		if text != "" {
			query.Set(name, text)
		}
	}
	if c.Group != 0 {
		query.Set("group", strconv.FormatInt(c.Group, 10))
	}
	if c.Running || c.Stopped {
		query.Set("running", strconv.FormatBool(c.Running))
	}
	if c.Desc {
		query.Set("desc", "true")
	}
	if c.Light || !parent.Structured() {
		query.Set("light", "true") // the table shows none of these texts
	}
	if c.Total {
		return parent.PrintTotal(inv, "/jobs", query)
	}
	var apps map[int64]string
	if !parent.Structured() && !parent.Quiet {
		var err error
		if apps, err = parent.Apps(inv); err != nil {
			return err
		}
	}
	return client.Listing[jobView]{
		Key: "jobs", Columns: []string{"ID", "NAME", "APP", "AUTHOR", "SCHEDULE", "HANDLER", "ROUTE", "STATUS", "NEXT"},
		Count: c.Count,
		Row: func(j *jobView) []string {
			return []string{
				strconv.FormatInt(j.ID, 10), j.Name, apps[j.JobGroup], j.Author,
				j.schedule(), j.what(), j.Route, j.status(), printing.Time(j.TriggerNext),
			}
		},
	}.Print(inv, &parent.Flags, "/jobs", query)
}
