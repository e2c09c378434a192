package errorrule

// Values.
var (
	// {field} is {value}, must be one of {allowed}
	OneOf = Rule{"one_of", "field value allowed other"}
	// {field} is {value}, must be {least} to {most}
	Range = Rule{"range", "field value least most"}
	// {field} is {value}, must be at most {most}
	AtMost = Rule{"at_most", "field value most"}
	// {field} is {value}, must be {least} to {most} with alarmOn {alarmOn}
	AlarmInARow = Rule{"alarm_in_a_row", "field value least most alarmOn"}
	// {field} is {value}, must be whole seconds, 0 or more
	WholeSeconds = Rule{"whole_seconds", "field value"}
	// {field} is {value}, must be an integer of 0 or more
	NotNegative = Rule{"not_negative", "field value"}
	// {field} is {value}, must be a positive integer
	Positive = Rule{"positive", "field value"}
	// {field} is {value}, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z
	Instant = Rule{"instant", "field value"}
	// {field} is {value}, must be a day such as 2026-03-01
	Day = Rule{"day", "field value"}
	// {field} of {year} has {value}, must be a day of that year such as {exampleYear}-05-01
	DayOfYear = Rule{"day_of_year", "field year value exampleYear"}
	// {field} of {year} has {value} after {before}, must be in ascending order
	DaysAscending = Rule{"days_ascending", "field year value before"}
	// {field} has {value} after {before}, must be in ascending order
	YearsAscending = Rule{"years_ascending", "field value before"}
	// {fields} of {year} both have {value}, must have no day in common
	OffAndWork = Rule{"off_and_work", "fields year value"}
	// {field} names {value} twice, must name each weekday once
	WeekdayTwice = Rule{"weekday_twice", "field value"}
	// {field} has all seven weekdays, must leave at least one
	WeekendWhole = Rule{"weekend_whole", "field"}
	// {field} is {value}, must be an IANA time zone such as Europe/Berlin
	Zone = Rule{"zone", "field value"}
	// {field} contains {value}, must be an address such as ops@example.org
	Email = Rule{"email", "field value"}
	// {field} contains {value}, must be http://host:port or https://host:port
	ExecutorURL = Rule{"executor_url", "field value"}
	// {field} contains {value}, must have a port from 1 to 65535
	ExecutorPort = Rule{"executor_port", "field value"}
	// {field} contains {value}, must be an executor: {reason}
	Executor = Rule{"executor", "field value reason"}
	// {field} is {value}, must have a due time after {after}
	ScheduleOver = Rule{"schedule_over", "field value after"}
	// {field} is {value}, must be another type for the job to be started
	ScheduleStartable = Rule{"schedule_startable", "field value"}
	// {field} is {value}, must be CRON or FIX_RATE for a backfill
	ScheduleBackfill = Rule{"schedule_backfill", "field value"}
	// {field} is {value}, must be after now, {now}
	Future = Rule{"future", "field value now"}
	// {field} is {value}, must not be after now, {now}
	Past = Rule{"past", "field value now"}
	// {field} is {value}, must be at most {most} days ahead; omit it for no end
	DaysAhead = Rule{"days_ahead", "field value most"}
	// {field} is {value}, must be within {most} days
	WithinDays = Rule{"within_days", "field value most"}
	// {field} is {value}, must be before {other}
	Before = Rule{"before", "field value other"}
	// {field} is {value}, must be after {other}
	After = Rule{"after", "field value other"}
	// {field} is {value} after from, must be at most {most}
	Span = Rule{"span", "field value most"}
	// {field} is {value}, must be at most {most} days before {other}
	SpanDays = Rule{"span_days", "field value most other"}
	// {fields} have more than {most} due times between them, must have at most {most}
	DueTimesTooMany = Rule{"due_times_too_many", "fields most"}
	// {fields} have no due time between them, must have at least one
	DueTimesNone = Rule{"due_times_none", "fields"}
	// {field} is {value}, must be the name of a dialect of cron expressions: {reason}
	Profile = Rule{"profile", "field value reason"}
	// {reason}, which is about the {value} of a {part} of {field}, from the {column} on
	Cron = Rule{"cron", "field part column value reason"}
	// {reason}, which is about the {value} of a {part} of {field} with schedules of the {type}
	Schedule = Rule{"schedule", "field part type value reason"}
)
