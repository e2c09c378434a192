package declare

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// A Document declares calendars, groups and jobs. What it does not name stays as it is, unless
// [Options].Prune is set.
type Document struct {
	Owner     string          `json:"owner,omitempty" doc:"Marks the declared jobs, so that xxlwheel apply --prune deletes those that are no longer declared. At most 64 characters; files that are applied together have the same one."`
	Calendars []CalendarEntry `json:"calendars,omitempty" doc:"Calendars of days without work. One with the name of a built-in calendar replaces it."`
	Groups    []GroupEntry    `json:"groups,omitempty" doc:"Groups of executors."`
	Jobs      []JobEntry      `json:"jobs,omitempty" doc:"Jobs. A field that is omitted has its default."`
}

// A GroupEntry declares a group of executors. A declaration has no access token.
type GroupEntry struct {
	AppName     string   `json:"appName" doc:"4 to 64 characters."`
	Title       string   `json:"title,omitempty" doc:"1 to 64 characters; omitted, it stays as it is, and is the app name for a new group."`
	AddressList []string `json:"addressList,omitempty" doc:"Addresses that are entered by hand; omitted, they come from registrations."`
}

// A JobEntry declares a job, with the field names of the API.
type JobEntry struct {
	AppName string `json:"appName" doc:"The app name of the group whose executors run the job."`
	Key     string `json:"key" doc:"Names the job within its group: 1 to 64 letters, digits, dots, hyphens and underscores."`
	Name    string `json:"name,omitempty" doc:"1 to 255 characters; defaults to the key."`
	Author  string `json:"author" doc:"1 to 64 characters."`
	Running *bool  `json:"running,omitempty" doc:"Whether the schedule is on; omitted, it stays as it is, and is off for a new job."`

	AlarmEmail      string                     `json:"alarmEmail,omitempty" doc:"Addresses separated by commas."`
	ScheduleType    xxladapter.ScheduleType    `json:"scheduleType,omitempty" doc:"The meaning of scheduleConf; defaults to NONE."`
	ScheduleConf    string                     `json:"scheduleConf,omitempty" doc:"CRON: an expression of six or seven fields. FIX_RATE and FIX_DELAY: seconds. ONCE: an RFC 3339 instant."`
	MisfireStrategy xxladapter.MisfireStrategy `json:"misfireStrategy,omitempty" doc:"What happens to missed due times; defaults to DO_NOTHING."`

	ExecutorRouteStrategy  xxladapter.RouteStrategy `json:"executorRouteStrategy,omitempty" doc:"Which executor of the group gets a run; defaults to FIRST."`
	ExecutorHandler        string                   `json:"executorHandler,omitempty" doc:"The name of the handler in the executor; required for BEAN jobs."`
	ExecutorParam          string                   `json:"executorParam,omitempty" doc:"The parameter passed to the handler, at most 65535 bytes."`
	ExecutorBlockStrategy  xxladapter.BlockStrategy `json:"executorBlockStrategy,omitempty" doc:"What happens to a run that arrives while another of the job is in progress; defaults to SERIAL_EXECUTION."`
	ExecutorTimeout        int64                    `json:"executorTimeout,omitempty" doc:"Longest run time in seconds; 0 means no limit."`
	ExecutorFailRetryCount int                      `json:"executorFailRetryCount,omitempty" doc:"Further attempts after a failed run."`

	GlueType       xxladapter.GlueType `json:"glueType,omitempty" doc:"BEAN, the default, or the language of the source."`
	GlueSource     string              `json:"glueSource,omitempty" doc:"The source of a script job."`
	GlueSourceFile string              `json:"glueSourceFile,omitempty" doc:"The file that has the source, relative to the declaration."`
	GlueRemark     string              `json:"glueRemark,omitempty" doc:"A description of the source's version, at most 128 characters."`

	Children []string             `json:"children,omitempty" doc:"The jobs to trigger when a run succeeds: the key of a job of the same group, or app name, a slash and key."`
	Tags     []string             `json:"tags,omitempty" doc:"Words by which the job is found, at most 20 of 1 to 64 characters, without commas."`
	Settings *xxladapter.Settings `json:"settings,omitempty" doc:"Settings that XXL-JOB does not have."`
}

// A Problem is a reason why a document cannot be applied.
type Problem struct {
	File    string `json:"file,omitempty" doc:"The name of the file."`
	Line    int    `json:"line,omitempty" doc:"The line of the file, from 1."`
	At      string `json:"at,omitempty" doc:"The place in the file, such as jobs[2].scheduleConf."`
	Message string `json:"message" doc:"Field, value and rule."`
	Chinese string `json:"messageZh,omitempty" doc:"The message in Chinese."`

	// Err is the error that Message was made from; nil in an answer of the API.
	Err error `json:"-"`
}

// A Change is what applying a document does to one calendar, group or job.
type Change struct {
	Action  Action                   `json:"action" doc:"What happens."`
	Kind    string                   `json:"kind" doc:"calendar, group or job."`
	AppName string                   `json:"appName,omitempty" doc:"The app name of a group, or of a job's group."`
	Key     string                   `json:"key,omitempty" doc:"The key of a job."`
	Name    string                   `json:"name,omitempty" doc:"The name of a calendar or a job."`
	ID      int64                    `json:"id,omitempty" doc:"The id; omitted for what is to be created."`
	Fields  []xxladapter.FieldChange `json:"changes" doc:"The fields that differ. Child jobs are shown by their keys."`
}

// An Action is what happens to a calendar, a group or a job.
type Action string

// Actions.
const (
	Create Action = "create"
	Edit   Action = "change"
	Delete Action = "delete"
)

// Values lists all actions.
func (Action) Values() []Action { return []Action{Create, Edit, Delete} }
