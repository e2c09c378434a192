package errorrule

// What something has to be like for a call.
var (
	// the {field} {value} is taken by another user
	NameTaken = Rule{"name_taken", "field value"}
	// the {field} is taken by another user
	SubjectTaken = Rule{"subject_taken", "field"}
	// {field} {value} is taken by group {group}
	AppTaken = Rule{"app_taken", "field value group"}
	// {field} is {value}, must not be that of another job of group {group}
	KeyTaken = Rule{"key_taken", "field value group"}
	// {field} is {value}, must be a different key: order {order} used it with a different body
	IdempotencyKey = Rule{"idempotency_key", "field value order"}
	// group {group} still has jobs
	HasJobs = Rule{"has_jobs", "group"}
	// calendar {value} is named by {count} jobs, must be named by none to be deleted
	CalendarUsed = Rule{"calendar_used", "value count"}
	// job {job} was changed meanwhile
	Changed = Rule{"changed", "job updated"}
	// group {group} was changed meanwhile
	GroupChanged = Rule{"group_changed", "group"}
	// source of job {job} was changed meanwhile, must have the glueUpdated {updated} to be changed
	// by this call
	SourceChanged = Rule{"source_changed", "job updated"}
	// calendar {value} was changed meanwhile
	CalendarChanged = Rule{"calendar_changed", "value"}
	// password of {user} has been changed meanwhile, must be the one that was checked
	PasswordChanged = Rule{"password_changed", "user"}
	// backfill {id} was changed meanwhile
	BackfillChanged = Rule{"backfill_changed", "id"}
	// backfill {id} is {value}, must be {allowed}
	BackfillState = Rule{"backfill_state", "id value allowed"}
	// a backfill of job {job} is running, must end or be cancelled first
	BackfillRunning = Rule{"backfill_running", "job"}
	// run {run} has the result {value}, must have none to be killed
	RunEnded = Rule{"run_ended", "run value"}
	// run {run} has the trigger code {value}, must have {allowed}: no executor accepted the run
	RunNotSent = Rule{"run_not_sent", "run value allowed"}
	// run {run} has the shard {value}, must have index/total to be run again
	RunShard = Rule{"run_shard", "run value"}
	// {field} has drained addresses only, must have another one, or a drain must be undone first
	AllDrained = Rule{"all_drained", "field"}
	// {count} addresses of the group are drained, must be at most {most}
	DrainsAtMost = Rule{"drains_at_most", "count most"}
	// address {value} is not drained
	NotDrained = Rule{"not_drained", "value"}
	// user {user} has {count} tokens, must have fewer than {most} before another one is created
	TokensAtMost = Rule{"tokens_at_most", "user count most"}
	// user {user} is the last administrator who can sign in, there must be another one
	LastAdmin = Rule{"last_admin", "user"}
	// user {user} would be the first one, must be an administrator of all groups who can sign in
	FirstAdmin = Rule{"first_admin", "user"}
	// there are users already
	UsersExist = Rule{"users_exist", ""}
)
