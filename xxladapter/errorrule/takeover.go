package errorrule

// What is taken from a database of XXL-JOB.
var (
	// the database of XXL-JOB cannot be read: {reason}
	TakeoverFailed = Rule{"takeover_failed", "reason"}
	// jobs were taken from {before} before: if this is the same database under another name, give
	// that name (xxlwheel takeover --source), and if it is another database, give {from}
	TakeoverOtherName = Rule{"takeover_other_name", "before from"}
	// xxlwheel has worked on this database: xxlwheel store copy also takes settings, pauses, keys
	// and accounts
	TakeoverOwnTables = Rule{"takeover_own_tables", ""}
	// its jobs join the group of this app name that the store has, {group}
	TakeoverGroupJoins = Rule{"takeover_group_joins", "group"}
	// has the app name of group {group}, which its jobs join
	TakeoverGroupTwice = Rule{"takeover_group_twice", "group"}
	// cannot be saved until it is mended: {reason}
	TakeoverGroupBroken = Rule{"takeover_group_broken", "reason"}
	// {field} is {value}, the store has room for {most} characters
	TakeoverTruncated = Rule{"takeover_truncated", "field value most"}
	// children are {value}, is taken with {kept}: the others do not exist, or are the job itself
	TakeoverChildren = Rule{"takeover_children", "value kept"}
	// jobs {value} trigger each other without end: XXL-JOB allows that, and here edits of them are
	// refused until the cycle is broken
	TakeoverChildCycle = Rule{"takeover_child_cycle", "value"}
	// {field} is {value}, was {was}
	TakeoverReplaced = Rule{"takeover_replaced", "field value was"}
	// executorFailRetryCount is {retries} and executorTimeout is {timeout}, negative ones become 0
	TakeoverNegative = Rule{"takeover_negative", "retries timeout"}
	// {field} has {value} characters, the store has room for {most}
	TakeoverNoRoom = Rule{"takeover_no_room", "field value most"}
	// cannot be started until its schedule is mended: {reason}
	TakeoverScheduleBroken = Rule{"takeover_schedule_broken", "reason"}
	// scheduleConf is {value}, which XXL-JOB alone reads: write {instead}, or start schedulers with
	// the profile xxl34 (xxlwheel serve --cron-profile=xxl34; {reason})
	TakeoverScheduleLenient = Rule{"takeover_schedule_lenient", "value instead reason"}
	// scheduleConf is {value}, which XXL-JOB alone reads: write it anew, or start schedulers with
	// the profile xxl34 (xxlwheel serve --cron-profile=xxl34)
	TakeoverScheduleRewrite = Rule{"takeover_schedule_rewrite", "value"}
	// {count} versions of scripts belong to jobs that do not exist or were left
	TakeoverVersionsLeft = Rule{"takeover_versions_left", "count"}
	// XXL-JOB still counts the figures of {count} days: a takeover after it has stopped takes them
	TakeoverDaysLeft = Rule{"takeover_days_left", "count"}
	// the store has a user with this name, or had one
	TakeoverUserExists = Rule{"takeover_user_exists", ""}
)
