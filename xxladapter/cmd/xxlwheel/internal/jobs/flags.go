package jobs

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// fieldFlags are the flags for all fields of a job, for new jobs and for changes. A flag that is
// not given leaves its field as it is. The tag api names the field of the API's job that a flag
// fills.
type fieldFlags struct {
	Name    *string `api:"name" help:"What the job does."`
	App     *string `api:"appName" help:"App name of the executors that run it."`
	Author  *string `api:"author" help:"Who is responsible (default for a new job: xxlwheel)."`
	Handler *string `api:"executorHandler" help:"Name of the handler that the executors registered."`
	Param   *string `api:"executorParam" help:"Parameter passed to the handler."`

	Cron       *string        `xor:"schedule" placeholder:"EXPR" help:"Run according to this cron expression."`
	FixedRate  *time.Duration `xor:"schedule" placeholder:"PERIOD" help:"Run at this period, for example 5s."`
	FixedDelay *time.Duration `xor:"schedule" placeholder:"PAUSE" help:"Run again this long after the previous run has ended, for example 5s."`
	Once       *string        `xor:"schedule" placeholder:"TIME" help:"Run once at this RFC 3339 instant, for example 2030-01-02T15:04:05Z."`
	NoSchedule bool           `xor:"schedule" help:"Run only when triggered (default for a new job)."`

	Route    *string      `predictor:"route" api:"executorRouteStrategy" help:"How the executor is chosen: FIRST (default for a new job), LAST, ROUND, RANDOM, CONSISTENT_HASH, LEAST_FREQUENTLY_USED, LEAST_RECENTLY_USED, FAILOVER, BUSYOVER or SHARDING_BROADCAST (runs on all)."`
	Block    *string      `predictor:"block" api:"executorBlockStrategy" help:"What happens to a run that arrives while another of the job is in progress: SERIAL_EXECUTION (default for a new job), DISCARD_LATER or COVER_EARLY."`
	Timeout  *wholeSecs   `api:"executorTimeout" placeholder:"TIME" help:"Longest run time in whole seconds; 0s means no limit (default for a new job)."`
	Retry    *int         `api:"executorFailRetryCount" placeholder:"COUNT" help:"Further attempts after a failed run."`
	Children *jobIDs      `api:"childJobIds" placeholder:"ID,..." help:"Ids of jobs to trigger when a run succeeds; empty means none."`
	GlueType *string      `predictor:"glue-type" api:"glueType" placeholder:"TYPE" help:"Kind of job: BEAN (default for a new job) runs a handler; the others run a script: GLUE_SHELL, GLUE_PYTHON, GLUE_PYTHON2, GLUE_NODEJS, GLUE_POWERSHELL, GLUE_PHP or GLUE_GROOVY."`
	GlueFile *fileContent `predictor:"file" api:"glueSource" placeholder:"FILE" help:"File that contains the script."`

	GlueRemark *string  `api:"glueRemark" placeholder:"TEXT" help:"What has changed in the script, shown in the list of its versions."`
	Tag        *tagList `api:"tags" placeholder:"TAG,..." help:"Words by which the job is found; they replace the present ones, and empty means none."`
	AlarmEmail *string  `api:"alarmEmail" placeholder:"ADDRESSES" help:"Mail addresses that are notified when the job fails, separated by commas."`

	Misfire           *string  `predictor:"misfire" api:"misfireStrategy" help:"What happens to missed due times: DO_NOTHING (default for a new job), FIRE_ONCE_NOW, LATEST or ALL."`
	MisfireWindow     *wholeMs `api:"settings.misfireWindowMs" placeholder:"TIME" help:"How late a due time may be noticed before it counts as a misfire (default: the scheduler's 5s)."`
	MisfireLimit      *int     `api:"settings.misfireLimit" placeholder:"COUNT" help:"With --misfire ALL, how many of the latest missed due times fire at most (default 100)."`
	MisfireSpacing    *wholeMs `api:"settings.misfireSpacingMs" placeholder:"TIME" help:"With --misfire ALL, the pause between two of these fires (default: none)."`
	Calendar          *string  `api:"settings.calendar" placeholder:"NAME" help:"Calendar whose days without work the schedule skips, for example cn; empty means none."`
	Zone              *string  `api:"settings.zone" help:"Time zone of the cron expression, for example Europe/Berlin (default: the scheduler's)."`
	Ambiguous         *string  `predictor:"ambiguous" api:"settings.ambiguous" placeholder:"SETTING" help:"What to do when it is unknown whether an executor accepted a run: PROBE (default) asks for the run's log, SKIP never sends it again, RESEND sends it again."`
	RetryBackoff      *wholeMs `api:"settings.retryBackoffMs" placeholder:"TIME" help:"Pause before the first retry, doubled for each further one (default: the first at once, then 1s to 10s)."`
	RetryBackoffLimit *wholeMs `api:"settings.retryBackoffLimitMs" placeholder:"TIME" help:"Longest pause before a retry (default 1h)."`
	AlarmOn           *string  `predictor:"alarm-on" api:"settings.alarmOn" placeholder:"RULE" help:"Which failures raise an alarm: EACH (default), LAST_RETRY, IN_A_ROW or NEVER."`
	AlarmAfter        *int     `api:"settings.alarmAfter" placeholder:"COUNT" help:"With --alarm-on IN_A_ROW, how many runs in a row have to fail."`
	AlarmRecovered    *bool    `api:"settings.alarmRecovered" negatable:"" help:"Also report the first success after an alarm."`
	KeepLogs          *string  `predictor:"keep-logs" api:"settings.keepLogs" placeholder:"WHICH" help:"Which finished runs keep their log row: ALL (default) or FAILURES."`
}

// form returns the API's form of the fields that are given. The API replaces settings as a whole,
// so if any setting is given, form adds the others from had.
func (f *fieldFlags) form(had map[string]any) map[string]any {
	form := map[string]any{}
	settings := map[string]any{}
	for _, field := range apiFields {
		value := reflect.ValueOf(f).Elem().FieldByIndex(field.index)
		if value.IsNil() {
			continue
		}
		if name, isSetting := strings.CutPrefix(field.api, "settings."); isSetting {
			settings[name] = value.Interface()
		} else {
			form[field.api] = value.Interface()
		}
	}
	switch {
	case f.Cron != nil:
		form["scheduleType"], form["scheduleConf"] = "CRON", *f.Cron
	case f.FixedRate != nil:
		form["scheduleType"], form["scheduleConf"] = "FIX_RATE", seconds(*f.FixedRate)
	case f.FixedDelay != nil:
		form["scheduleType"], form["scheduleConf"] = "FIX_DELAY", seconds(*f.FixedDelay)
	case f.Once != nil:
		form["scheduleType"], form["scheduleConf"] = "ONCE", *f.Once
	case f.NoSchedule:
		form["scheduleType"], form["scheduleConf"] = "NONE", ""
	}
	if len(settings) > 0 {
		for name, value := range had {
			if _, given := settings[name]; !given {
				settings[name] = value
			}
		}
		form["settings"] = settings
	}
	return form
}

// formFor works like form for an existing job, whose settings it reads if they are needed.
func (f *fieldFlags) formFor(inv *command.Invocation, api client.API, job jobID) (map[string]any, error) {
	form := f.form(nil)
	if form["settings"] == nil {
		return form, nil
	}
	var was struct{ Settings map[string]any }
	if err := api.Call(inv.Context, "GET", job.path(""), nil, &was); err != nil {
		return nil, err
	}
	return f.form(was.Settings), nil
}

// An apiField is a field of fieldFlags that fills a field of the API's job.
type apiField struct {
	api, flag string
	index     []int
}

var apiFields = func() (fields []apiField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[fieldFlags]()) {
		if api := f.Tag.Get("api"); api != "" {
			fields = append(fields, apiField{api, flagName(f.Name), f.Index})
		}
	}
	return fields
}()

// flagName returns the name of a field's flag: RetryBackoff is retry-backoff.
func flagName(field string) string {
	var b strings.Builder
	for i, r := range field {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte('-')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// seconds formats a period for the API's scheduleConf.
func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }

// wholeSecs is a duration that the API takes in seconds.
type wholeSecs time.Duration

// UnmarshalText reads a duration such as 90s.
func (d *wholeSecs) UnmarshalText(text []byte) error {
	return readDuration((*time.Duration)(d), text, time.Second, "seconds, such as 90s")
}

// MarshalJSON writes the number of seconds.
func (d wholeSecs) MarshalJSON() ([]byte, error) {
	return json.Marshal(int64(time.Duration(d) / time.Second))
}

// wholeMs is a duration that the API takes in milliseconds.
type wholeMs time.Duration

// UnmarshalText reads a duration such as 1500ms.
func (d *wholeMs) UnmarshalText(text []byte) error {
	return readDuration((*time.Duration)(d), text, time.Millisecond, "milliseconds, such as 1.5s")
}

// MarshalJSON writes the number of milliseconds.
func (d wholeMs) MarshalJSON() ([]byte, error) {
	return json.Marshal(time.Duration(d).Milliseconds())
}

func readDuration(to *time.Duration, text []byte, unit time.Duration, rule string) (err error) {
	if *to, err = time.ParseDuration(string(text)); err != nil || *to%unit != 0 {
		return fmt.Errorf("is %q, must be a duration of whole %s", text, rule)
	}
	return nil
}

// jobIDs is a list of job ids, separated by commas.
type jobIDs []int64

// UnmarshalText reads the ids.
func (ids *jobIDs) UnmarshalText(text []byte) error {
	*ids = jobIDs{} // a list in JSON, never null
	for word := range strings.SplitSeq(string(text), ",") {
		if word = strings.TrimSpace(word); word == "" && len(text) == 0 {
			return nil
		}
		id, err := strconv.ParseInt(word, 10, 64)
		if err != nil || id <= 0 {
			return fmt.Errorf("has %q, must be ids of jobs such as 3,4", word)
		}
		*ids = append(*ids, id)
	}
	return nil
}

// tagList is a list of tags, separated by commas.
type tagList []string

// UnmarshalText reads the tags.
func (l *tagList) UnmarshalText(text []byte) error {
	*l = tagList{} // a list in JSON, never null
	for tag := range strings.SplitSeq(string(text), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			*l = append(*l, tag)
		}
	}
	return nil
}

// fileContent is a flag that names a file and has the file's content as its value.
type fileContent string

// UnmarshalText reads the file.
func (c *fileContent) UnmarshalText(name []byte) error {
	text, err := flags.ReadFile(string(name))
	*c = fileContent(text)
	return err
}
