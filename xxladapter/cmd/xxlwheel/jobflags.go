package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// jobFlags are the flags for all that a job may be given, of a new one and of one
// that is changed alike; what is left out keeps its value. The tag api names the
// field of the API's job that a flag fills.
type jobFlags struct {
	Name    *string `api:"name" help:"What the job is for."`
	App     *string `api:"appName" help:"App name of the executors that run it."`
	Author  *string `api:"author" help:"Who is responsible (for a new job: xxlwheel)."`
	Handler *string `api:"executorHandler" help:"Name of the handler that the executors registered."`
	Param   *string `api:"executorParam" help:"Text handed to the handler."`

	Cron       *string       `xor:"schedule" placeholder:"EXPR" help:"Run by this cron expression."`
	FixedRate  time.Duration `xor:"schedule" placeholder:"PERIOD" help:"Run at this period, for example 5s."`
	FixedDelay time.Duration `xor:"schedule" placeholder:"PAUSE" help:"Run again so long after each run has ended, for example 5s."`
	Once       *string       `xor:"schedule" placeholder:"TIME" help:"Run once at this RFC 3339 instant, for example 2030-01-02T15:04:05Z."`
	NoSchedule bool          `xor:"schedule" help:"Run only when it is triggered (default for a new job)."`

	Route    *string      `api:"executorRouteStrategy" help:"How the executor is chosen: FIRST (default for a new job), LAST, ROUND, RANDOM, CONSISTENT_HASH, LEAST_FREQUENTLY_USED, LEAST_RECENTLY_USED, FAILOVER, BUSYOVER or SHARDING_BROADCAST (all of them)."`
	Block    *string      `api:"executorBlockStrategy" help:"What happens while a run of the job is in progress: SERIAL_EXECUTION (default for a new job), DISCARD_LATER, COVER_EARLY."`
	Timeout  *wholeSecs   `api:"executorTimeout" placeholder:"TIME" help:"Longest run time in whole seconds; 0s: no limit (default for a new job)."`
	Retry    *int         `api:"executorFailRetryCount" placeholder:"COUNT" help:"Further attempts after a failed run."`
	Children *jobIDs      `api:"childJobIds" placeholder:"ID,..." help:"Jobs that are triggered when a run succeeds; empty: none."`
	GlueType *string      `api:"glueType" placeholder:"TYPE" help:"BEAN (default for a new job) for a handler, or the language of a script: GLUE_SHELL, GLUE_PYTHON, GLUE_PYTHON2, GLUE_NODEJS, GLUE_POWERSHELL, GLUE_PHP or GLUE_GROOVY."`
	GlueFile *fileContent `api:"glueSource" placeholder:"FILE" help:"File with the script."`

	GlueRemark *string `api:"glueRemark" placeholder:"TEXT" help:"What is new in the script, for the list of its versions."`
	AlarmEmail *string `api:"alarmEmail" placeholder:"ADDRESSES" help:"Who gets a mail when the job fails, comma separated."`

	Misfire           *string  `api:"misfireStrategy" help:"What happens to due times that were missed: DO_NOTHING (default for a new job), FIRE_ONCE_NOW, LATEST, ALL."`
	MisfireWindow     *wholeMs `api:"settings.misfireWindowMs" placeholder:"TIME" help:"How late a due time may be found without being a misfire (default: the scheduler's 5s)."`
	MisfireLimit      *int     `api:"settings.misfireLimit" placeholder:"COUNT" help:"With --misfire ALL: how many due times fire at most, the latest ones (default 100)."`
	MisfireSpacing    *wholeMs `api:"settings.misfireSpacingMs" placeholder:"TIME" help:"With --misfire ALL: the pause between two of them (default: none)."`
	Zone              *string  `api:"settings.zone" help:"Time zone of the cron expression, for example Europe/Berlin (default: the scheduler's)."`
	Ambiguous         *string  `api:"settings.ambiguous" placeholder:"POLICY" help:"When an executor does not say whether it took a run: PROBE (default) asks its log, SKIP never sends again, RESEND does."`
	RetryBackoff      *wholeMs `api:"settings.retryBackoffMs" placeholder:"TIME" help:"Pause before the first retry; each further one waits twice as long (default: the first at once, then 1s to 10s)."`
	RetryBackoffLimit *wholeMs `api:"settings.retryBackoffLimitMs" placeholder:"TIME" help:"Longest pause before a retry (default 1h)."`
	AlarmOn           *string  `api:"settings.alarmOn" placeholder:"RULE" help:"Which failures raise an alarm: EACH (default), LAST_RETRY, IN_A_ROW, NEVER."`
	AlarmAfter        *int     `api:"settings.alarmAfter" placeholder:"COUNT" help:"With --alarm-on IN_A_ROW: how many failed runs in a row."`
	AlarmRecovered    *bool    `api:"settings.alarmRecovered" negatable:"" help:"Report the first success after an alarm too."`
	KeepLogs          *string  `api:"settings.keepLogs" placeholder:"WHICH" help:"Which finished runs keep their log row: ALL (default), FAILURES."`
}

// form is the API's form with what is given. The API takes settings as a whole:
// those that the job has are kept where settings are given.
func (f *jobFlags) form(had map[string]any) map[string]any {
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
	case f.FixedRate != 0:
		form["scheduleType"], form["scheduleConf"] = "FIX_RATE", seconds(f.FixedRate)
	case f.FixedDelay != 0:
		form["scheduleType"], form["scheduleConf"] = "FIX_DELAY", seconds(f.FixedDelay)
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

// formFor is form for a job that exists.
func (f *jobFlags) formFor(inv *invocation, api apiClient, job jobID) (map[string]any, error) {
	form := f.form(nil)
	if form["settings"] == nil {
		return form, nil
	}
	var was struct{ Settings map[string]any }
	if err := api.call(inv.ctx, "GET", job.path(""), nil, &was); err != nil {
		return nil, err
	}
	return f.form(was.Settings), nil
}

// An apiField is a field of jobFlags that fills one of the API's.
type apiField struct {
	api, flag string
	index     []int
}

var apiFields = func() (fields []apiField) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[jobFlags]()) {
		if api := f.Tag.Get("api"); api != "" {
			fields = append(fields, apiField{api, flagName(f.Name), f.Index})
		}
	}
	return fields
}()

// flagName is what the flag of a field is called: RetryBackoff is retry-backoff.
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

// seconds writes a period as the API's scheduleConf has it.
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

// jobIDs is a list of jobs, comma separated.
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

// fileContent is a flag that names a file, and stands for what is in it.
type fileContent string

// UnmarshalText reads the file.
func (c *fileContent) UnmarshalText(name []byte) error {
	text, err := readFile(string(name))
	*c = fileContent(text)
	return err
}
