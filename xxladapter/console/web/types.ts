// Generated from the OpenAPI document by apitypes; go generate writes it again.

export interface Actor {
	/** The IP address that the call came from. */
	address?: string;
	/** How the caller has proved who it is; scheduler and command are not calls. */
	kind: "open" | "user" | "token" | "operator" | "executor" | "command" | "scheduler";
	/** The user's name, user/token name, or the name of the app, the node or the machine's user. */
	name?: string;
}

export interface AlarmDelivery {
	/** The channel: mail, webhook, dingtalk, feishu, wecom or slack, with a number if there are several. */
	channel: string;
	/** Why it was not sent; secrets are concealed. */
	error?: string;
	result: "SENT" | "SKIPPED" | "FAILED";
	/** How long the channel took. */
	tookMs: number;
}

export interface AlarmTest {
	/** The id that the message carries. */
	alarm: string;
	/** What became of the message on each channel; empty if no channel is configured. */
	channels: AlarmDelivery[];
}

export interface ApiError {
	/** What went wrong, for programs: invalid, not_found, conflict, unauthorized, forbidden, too_many, fenced, unreachable or internal. */
	code: string;
	/** For an edit of what was changed meanwhile: the fields that differ. */
	conflicts?: FieldConflict[];
	/** What went wrong, for people: field, value and rule on one line. */
	message: string;
	/** The message in Chinese. */
	messageZh?: string;
	/** What the rule is about, by name: mostly field and value, and the limits that the rule has. */
	params?: Record<string, unknown>;
	/** For declarations that cannot be applied: all that is wrong with them. */
	problems?: Problem[];
	/** The rule that is broken, for programs: a code such as range or not_found that stays the same when the message is reworded. */
	rule?: string;
	/** For a value that breaks several rules: each of them, with its field. The message has all of theirs. */
	rules?: BrokenRule[];
}

export interface Apply {
	/** Declare also jobs that another owner has declared. */
	adopt?: boolean;
	/** Declarations in YAML or JSON, and the scripts that they name. They are applied as one. */
	files: File[];
	/** Delete the jobs of the declarations' owner that the declarations do not name. */
	prune?: boolean;
}

export interface ApplyResult {
	/** What has changed, or would change, field by field. */
	changes: Change[];
	/** True if nothing was changed. */
	dryRun?: boolean;
	/** How many calendars, groups and jobs are as declared. */
	unchanged: number;
}

export interface AuditCheck {
	/** The newest row that was deleted because of its age; the chain begins behind it. */
	anchor: AuditPosition;
	/** The first row that breaks the chain. */
	broken?: BrokenRow;
	/** The newest row. A copy that is kept elsewhere shows later whether the whole chain was rewritten. */
	last: AuditPosition;
	/** How many rows were checked. */
	rows: number;
	/** True if every row follows the one before and none is missing. */
	whole: boolean;
}

export interface AuditList {
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
	/** Fewer than limit if some are of users or tokens, which are for administrators of all groups. */
	rows: AuditRow[];
}

export interface AuditObject {
	/** Omitted for what has no id. */
	id?: number;
	/** The group that it is or belongs to. */
	jobGroup?: number;
	/** The job that it is or belongs to. */
	jobId?: number;
	/** What was changed: job, group, run, runs, zone, user, token, alarm, pause, calendar or node. */
	kind: string;
	/** Its name at that time. */
	name?: string;
}

export interface AuditPosition {
	hash: string;
	id: number;
}

export interface AuditRow {
	actor: Actor;
	/** Method and path of the call, or what a scheduler did by itself. */
	call: string;
	/** The fields that differ. Secret values are concealed. */
	changes: FieldChange[];
	/** SHA-256 of all other fields, see the documentation of the audit. */
	hash: string;
	/** Counts from 1 without gaps. */
	id: number;
	object: AuditObject;
	/** The hash of the row before. */
	previousHash: string;
	/** By the store's clock, in whole milliseconds. */
	time: string;
}

export interface Backfill {
	addTime: string;
	/** Who asked for it. */
	by?: string;
	/** Due times that did not become a run, or whose run was deleted. */
	dropped: number;
	ended?: string;
	executorParam?: string;
	/** Due times whose first attempt failed. Retries follow as for any run, and are not counted. */
	failed: number;
	from: string;
	id: number;
	jobId: number;
	newest?: boolean;
	/** Due times in progress. */
	open: BackfillRun[];
	parallel: number;
	/** How many of them have become fires. */
	planned: number;
	state: "RUNNING" | "DONE" | "CANCELLED";
	/** Due times whose first attempt succeeded. */
	succeeded: number;
	to: string;
	/** The number of due times. */
	total: number;
}

export interface BackfillList {
	/** Newest first. */
	backfills: Backfill[];
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
}

export interface BackfillRequest {
	/** Only return the due times. */
	dryRun?: boolean;
	/** The parameter passed to the handler; defaults to the job's own. */
	executorParam?: string;
	/** The first due time may be this one. */
	from: string;
	/** Run the newest due time first instead of the oldest. */
	newest?: boolean;
	/** How many runs may be in progress at once, 1 (the default) to 100. */
	parallel?: number;
	/** Due times are before this instant, which must not be in the future. */
	to: string;
}

export interface BackfillRun {
	due: string;
	/** Finds the run; see /api/v1/orders/{id}. */
	order: number;
}

export interface BackfillStarted {
	/** The due times in the order of their runs, at most 1000. */
	dueTimes: string[];
	/** The due time that runs first. */
	first?: string;
	/** Omitted with dryRun. */
	id?: number;
	/** The due time that runs last. */
	last?: string;
	/** How many due times there are. */
	total: number;
}

export interface Bar {
	attempt: number;
	claimed: string;
	due: string;
	finished?: string;
	latenessMs: number;
	logId: number;
	node: string;
	parentLogId?: number;
	sent?: string;
	status: "RUNNING" | "SUCCESS" | "FAIL";
	triggerType: "CRON" | "MISFIRE" | "MANUAL" | "PARENT" | "RETRY" | "API" | "BACKFILL";
}

export interface BrokenRow {
	id: number;
	/** What is wrong with the row. */
	rule: string;
}

export interface BrokenRule {
	/** What went wrong, for people: field, value and rule on one line. */
	message: string;
	/** The message in Chinese. */
	messageZh?: string;
	/** What the rule is about, by name: mostly field and value, and the limits that the rule has. */
	params?: Record<string, unknown>;
	/** The rule that is broken, for programs: a code such as range or not_found that stays the same when the message is reworded. */
	rule?: string;
}

export interface Bulk {
	action: "start" | "stop" | "delete" | "change" | "trigger";
	/** With action change: the fields to change in each job. */
	change?: Job;
	/** Only report how many jobs are selected. */
	dryRun?: boolean;
	/** Selects the jobs, at most 100000. */
	filter?: BulkFilter;
	/** The jobs, at most 100000. Give these or filter. */
	ids?: number[];
	/** With action trigger: how the runs differ from the jobs' own. */
	trigger?: Trigger;
}

export interface BulkFilter {
	/** Must be true if nothing else is given. */
	all?: boolean;
	/** Only jobs whose author contains this text. */
	author?: string;
	/** Only jobs whose handler contains this text. */
	handler?: string;
	/** Only jobs of this group. */
	jobGroup?: number;
	/** Only jobs whose newest run that has ended succeeded (SUCCESS) or did not (FAIL), or of which no run has ended (NONE). */
	lastResult?: "SUCCESS" | "FAIL" | "NONE";
	/** Only jobs whose name contains this text. */
	name?: string;
	/** Only jobs whose schedule is on (true) or off (false). */
	running?: boolean;
	/** Only jobs with this tag. */
	tag?: string;
	/** Only jobs with this schedule type. */
	type?: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE";
}

export interface BulkLine {
	/** True in the last line. Without it the call was cancelled, and jobs without a line are unchanged, except some that were in progress. */
	done?: boolean;
	/** Why nothing was done to the job. */
	error?: ApiError;
	/** In the last line. */
	failed?: number;
	/** The job that this line is about. */
	id?: number;
	/** The order by which the run of a triggered job can be found. */
	order?: number;
	/** In the last line. */
	succeeded?: number;
	/** In the first line: how many jobs are selected. */
	total?: number;
	/** What undoes a start, stop or change; omitted if nothing was changed, and where nothing can undo it. */
	undo?: BulkUndo;
}

export interface BulkUndo {
	action: "start" | "stop" | "delete" | "change" | "trigger";
	change?: Job;
}

export interface Calendar {
	/** Read-only. The calendar is part of the program; a stored one with its name replaces it. */
	builtIn?: boolean;
	/** As in the path. */
	name?: string;
	/** At most 500 characters. */
	note?: string;
	/** When it was changed last; give it back with a change, so that no change in between is lost. */
	updateTime?: string;
	/** The weekdays without work; empty means none. */
	weekend: ("SUNDAY" | "MONDAY" | "TUESDAY" | "WEDNESDAY" | "THURSDAY" | "FRIDAY" | "SATURDAY")[];
	/** The years that the calendar knows, in ascending order. In any other year only the weekend has no work. */
	years: CalendarYear[];
}

export interface CalendarList {
	calendars: Calendar[];
}

export interface CalendarYear {
	/** Days without work besides the weekend, in ascending order. */
	off: string[];
	/** Where the days come from; at most 500 characters. */
	source?: string;
	/** Make-up days: days of the weekend with work, in ascending order. */
	work: string[];
	/** 1970 to 9999. */
	year: number;
}

export interface Change {
	/** What happens. */
	action: "create" | "change" | "delete";
	/** The app name of a group, or of a job's group. */
	appName?: string;
	/** The fields that differ. Child jobs are shown by their keys. */
	changes: FieldChange[];
	/** The id; omitted for what is to be created. */
	id?: number;
	/** The key of a job. */
	key?: string;
	/** calendar, group or job. */
	kind: string;
	/** The name of a calendar or a job. */
	name?: string;
}

export interface Clear {
	/** Must be true if neither before nor keepNewest is given. */
	all?: boolean;
	/** Delete only runs triggered before this instant. */
	before?: string;
	/** Only count the runs that the call selects. */
	dryRun?: boolean;
	/** Delete only runs of this group. */
	jobGroup?: number;
	/** Delete only runs of this job. */
	jobId?: number;
	/** How many of the newest runs to keep. */
	keepNewest?: number;
}

export interface ClearAnswer {
	deleted: number;
	/** False if there is more to delete; repeat the call. */
	done: boolean;
	/** With dryRun: more runs are selected, or may be: a count by group reads a million rows at most. */
	more?: boolean;
	/** With dryRun: how many runs are selected, exact up to 10000. Those that have not ended, and failures that were not reported yet, are kept. */
	selected?: number;
}

export interface ClockChange {
	/** The offset from UTC after it. */
	after: string;
	at: string;
	/** The offset from UTC before the change. */
	before: string;
	/** Times of day that the schedule matches and the clock skips, the first ten. */
	skipped?: string[];
}

export interface Created {
	id: number;
}

export interface Credential {
	addTime?: string;
	/** From where it was created. */
	address?: string;
	/** True for that of this call. */
	current?: boolean;
	expires?: string;
	/** The groups to which a token is limited; omitted if it is not limited to some groups of its user. */
	groups?: number[];
	id: number;
	/** The name of a token; omitted for a session. */
	name?: string;
	/** What a token may do at most; omitted if it may do what its user may. */
	role?: "viewer" | "operator" | "editor" | "coder" | "admin";
	/** Its last use, some minutes ago at most; omitted if it was never used. */
	usedTime?: string;
	userId: number;
}

export interface CredentialList {
	credentials: Credential[];
}

export interface Drain {
	/** An address of the group, as the group shows it. */
	address: string;
	/** Why, at most 255 characters. */
	note?: string;
	/** When it ends by itself; omitted means when it is undone. */
	until?: string;
}

export interface DrainView {
	address: string;
	/** Who asked for it. */
	by?: string;
	note?: string;
	since?: string;
	/** When it ends by itself; omitted if it lasts until it is undone. */
	until?: string;
}

export interface DueJob {
	id: number;
	name: string;
	triggerNextTime?: string;
}

export interface Event {
	/** The id of the thing; 0 means any of its topic. */
	id: number;
	/** The kind of thing that has changed; all means that events are missing, and everything that is shown has to be read again. */
	topic: "all" | "job" | "run" | "misfire" | "group" | "node" | "pause";
}

export interface Evidence {
	/** Its fields that matter, as texts. */
	facts: Record<string, unknown>;
	id?: number;
	/** What it is: job, log, history, fire, misfire, pause, calendar, lease, audit or clock. */
	record: string;
}

export interface Executor {
	address: string;
	alive: boolean;
	/** When the executor registered last; omitted if it does not register. */
	beat?: string;
	/** Why it counts as dead. */
	error?: string;
	/** Generation of its protocol: G1 (XXL-JOB 2.2 to 3.1, and most ports), G2 (3.2), G3 (3.3 and 3.4), G4 (3.5) or xxlwheel; omitted if unknown. */
	generation?: string;
	roundTripMs?: number;
	/** Runs of the group without an outcome that were sent there, among the newest 1000 such runs. */
	runsNow: number;
	/** The address is that of a queue and names no executor: whichever has room takes a run. It is not probed, and alive is false. */
	shared?: boolean;
}

export interface ExecutorList {
	executors: Executor[];
	/** What waits in the queue of the group's app; omitted if none of its executors takes runs from one. */
	queue?: Queue;
}

export interface FailingJob {
	id: number;
	/** Failed runs since the last success, at most 20. */
	inARow: number;
	/** The newest run. */
	logId: number;
	name: string;
	triggerTime?: string;
}

export interface FeatureInfo {
	/** Failures are reported on at least one channel. */
	alarms: boolean;
	/** The web console is served. */
	console: boolean;
	/** /metrics is served. */
	metrics: boolean;
	/** Calls need no token as long as there are no users. */
	open: boolean;
	/** Jobs can be taken from a database of XXL-JOB. */
	takeOver: boolean;
	/** People can sign in. */
	users: boolean;
}

export interface FieldChange {
	/** The value after; omitted if there is none. */
	after?: unknown;
	/** The value before; omitted if there was none. */
	before?: unknown;
	/** The field's name in the calls that read and change the object. */
	field: string;
}

export interface FieldConflict {
	/** The value that this call started from; omitted if it is no longer known. */
	base?: unknown;
	field: string;
	/** The value now. */
	stored: unknown;
	/** The value in this call; omitted if the call does not give the field. */
	yours?: unknown;
}

export interface Figure {
	/** Exact up to 10000. */
	count: number;
	/** There are more, or there may be: failures are searched for in a limited number of rows. */
	more?: boolean;
}

export interface File {
	/** The path of the file, with slashes. Names that end in .yaml, .yml or .json are declarations, all others scripts. */
	name: string;
	/** What the file contains, in UTF-8. */
	text: string;
}

export interface Finding {
	code: "not_created" | "stopped" | "no_schedule" | "bad_schedule" | "no_match" | "after_run" | "not_yet" | "misfire" | "paused" | "excluded" | "no_scheduler" | "clocks_apart" | "overdue" | "no_record" | "no_place" | "node_froze" | "being_sent" | "ambiguous" | "ran_late" | "not_traced" | "unanswered" | "no_executor" | "drained" | "refused_by_route" | "refused_by_block" | "refused" | "unreachable" | "running" | "ran" | "failed" | "timed_out" | "covered" | "killed" | "result_lost";
	/** The records that prove it. */
	evidence: Evidence[];
	/** The values that the words name, as texts. */
	params: Record<string, unknown>;
	words: Words;
}

export interface Fire {
	/** Omitted if they are the group's. */
	addressList?: string[];
	claimed?: string;
	due: string;
	/** Omitted if it is the job's. */
	executorParam?: string;
	id: number;
	jobId: number;
	jobName?: string;
	logId?: number;
	/** The scheduler that claimed it. */
	node?: string;
	/** Attempts left; omitted if they are the job's. */
	retryCount?: number;
	shardIndex: number;
	/** 0 until the fire is claimed. */
	shardTotal: number;
	state: "planned" | "claimed" | "ambiguous";
	/** The term of that scheduler. */
	term?: number;
	triggerType: "CRON" | "MISFIRE" | "MANUAL" | "PARENT" | "RETRY" | "API" | "BACKFILL";
}

export interface FireList {
	fires: Fire[];
	/** True if more fires follow. */
	more?: boolean;
}

export interface First {
	/** 1 to 50 characters without blanks and slashes. */
	name: string;
	/** At least 8 characters. */
	password: string;
	/** The secret in the one-time link. */
	token: string;
}

export interface Forecast {
	/** From the cell that contains now on. */
	cells: ForecastCell[];
	/** The jobs of the cell that at names. */
	in?: ForecastJobs;
	/** The number of jobs whose schedule is on. */
	jobs: number;
	/** The length of a cell. */
	minutes: number;
	/** Jobs with fires, but without a run among the newest 100000: their run time is missing in runSeconds. */
	unknownDurations: number;
	/** Jobs whose schedule or zone cannot be read, and which are left out. */
	unreadable?: number;
}

export interface ForecastCell {
	/** The beginning of the cell. */
	at: string;
	/** A sharded run counts once. */
	fires: number;
	/** How long the runs that begin in the cell are expected to take together, from the mean durations of past runs. */
	runSeconds: number;
}

export interface ForecastJob {
	fires: number;
	id: number;
	name: string;
	runSeconds: number;
}

export interface ForecastJobs {
	/** The number of jobs in the cell. */
	count: number;
	/** At most 100 of them, those with the longest run time first. */
	jobs: ForecastJob[];
}

export interface Glue {
	/** When it was stored. */
	addTime?: string;
	glueRemark: string;
	/** Omitted in lists. */
	glueSource?: string;
	glueType: "BEAN" | "GLUE_GROOVY" | "GLUE_SHELL" | "GLUE_PYTHON" | "GLUE_PYTHON2" | "GLUE_NODEJS" | "GLUE_POWERSHELL" | "GLUE_PHP";
	id: number;
}

export interface GlueList {
	glueRemark: string;
	/** The source in use. */
	glueSource: string;
	/** The language of the source in use, or BEAN for a job without one. */
	glueType: "BEAN" | "GLUE_GROOVY" | "GLUE_SHELL" | "GLUE_PYTHON" | "GLUE_PYTHON2" | "GLUE_NODEJS" | "GLUE_POWERSHELL" | "GLUE_PHP";
	/** Identifies the source in use; pass it as ifUpdated with a change. */
	glueUpdated?: string;
	/** Newest first, at most 30. The first change of a source also stores the original source. */
	versions: Glue[];
}

export interface GlueSave {
	/** What this version changes: 4 to 100 characters, as in XXL-JOB. */
	glueRemark: string;
	/** The source. */
	glueSource: string;
	/** The language; defaults to the job's. */
	glueType?: "BEAN" | "GLUE_GROOVY" | "GLUE_SHELL" | "GLUE_PYTHON" | "GLUE_PYTHON2" | "GLUE_NODEJS" | "GLUE_POWERSHELL" | "GLUE_PHP";
	/** The glueUpdated that the source was read with. If the source was changed since, nothing is stored, and the answer is 409 with the fields that differ. */
	ifUpdated?: string;
}

export interface GlueSaved {
	/** Identifies the stored source; pass it as ifUpdated with the next change. */
	glueUpdated: string;
}

export interface GoneExecutor {
	address: string;
	jobGroup: number;
	/** The newest run that was sent there. */
	logId: number;
	triggerTime?: string;
}

export interface Grant {
	/** The id of a group; 0 means all groups. */
	jobGroup: number;
	/** What may be done, each role including those before it: viewer reads; operator starts, stops, triggers and kills; editor changes jobs; coder changes scripts; admin changes groups, and with group 0 users. */
	role: "viewer" | "operator" | "editor" | "coder" | "admin";
}

export interface Graph {
	/** Groups of jobs that trigger each other. */
	cycles: number[][];
	/** With job: the jobs whose success leads to that one. */
	dependsOn?: number[];
	/** With job: the jobs that are not triggered when that one fails. */
	failsWith?: number[];
	/** There are more than 5000 nodes. */
	more?: boolean;
	/** By layer, then by id; at most 5000. */
	nodes: GraphNode[];
}

export interface GraphNode {
	children: number[];
	id: number;
	jobGroup: number;
	/** The newest run. */
	last?: LastRun;
	/** 0 for jobs without parents, otherwise one more than the highest layer of a parent. The jobs of a cycle share a layer. */
	layer: number;
	/** Children that do not exist, or not for the caller. */
	missing?: number[];
	name: string;
	/** Whether the schedule is on. */
	running: boolean;
}

export interface Group {
	/** The secret of these executors alone, 8 to 255 characters; empty means that they use the scheduler's. It is never shown. */
	accessToken?: string;
	addressList?: string[];
	/** 0 if addresses come from registrations, 1 if they are entered by hand. */
	addressType?: number;
	appName?: string;
	/** Read-only: the addresses that get no new runs; see the drain calls. */
	drains?: DrainView[];
	/** Read-only. */
	hasAccessToken?: boolean;
	id?: number;
	/** Defaults to the app name for a new group. */
	title?: string;
	updateTime?: string;
}

export interface GroupList {
	groups: Group[];
}

export interface GroupUpdate {
	/** The secret of these executors alone, 8 to 255 characters; empty means that they use the scheduler's. It is never shown. */
	accessToken?: string;
	addressList?: string[];
	/** 0 if addresses come from registrations, 1 if they are entered by hand. */
	addressType?: number;
	appName?: string;
	/** Read-only: the addresses that get no new runs; see the drain calls. */
	drains?: DrainView[];
	/** Read-only. */
	hasAccessToken?: boolean;
	id?: number;
	/** The group as it was read. If somebody has edited it since, nothing is changed, and the answer is 409 with the fields that differ. Addresses that registered since are no edit. A token that replaced another one is not noticed, since tokens are not shown. */
	ifUnchanged?: Group;
	/** Defaults to the app name for a new group. */
	title?: string;
	updateTime?: string;
}

export interface History {
	/** When the executor answered the request. */
	acknowledged?: string;
	/** 1 for the first attempt, and one more with each retry. */
	attempt: number;
	claimed: string;
	/** When the run was due. */
	due: string;
	/** Milliseconds from sent to finished. */
	durationMs?: number;
	/** When the result arrived. */
	finished?: string;
	/** Milliseconds from due to sent, or to claimed if no request left. */
	latenessMs: number;
	/** The scheduler that claimed the fire. */
	node: string;
	/** The run that this one retries or follows as its child. */
	parentLogId?: number;
	/** When the request left for the executor. */
	sent?: string;
	takenOver?: string;
	/** The scheduler that took the claimed fire over, because the first one's term had ended. */
	takenOverBy?: string;
	term: number;
	triggerType: "CRON" | "MISFIRE" | "MANUAL" | "PARENT" | "RETRY" | "API" | "BACKFILL";
}

export interface IdleGroup {
	appName: string;
	id: number;
	/** Its running jobs. */
	jobs: Figure;
}

export interface Info {
	/** The channels on which failures are reported. */
	alarms: string[];
	/** How cron expressions are evaluated: quartz, xxl34, sane or unix. */
	cronProfile: string;
	features: FeatureInfo;
	/** The Go release that the program was built with. */
	go: string;
	limits: LimitInfo;
	/** The name of the process that answers among the schedulers of its store. */
	node: string;
	/** The store's clock. */
	now: string;
	retention: RetentionInfo;
	/** The revision of the sources. */
	revision?: string;
	store: StoreInfo;
	/** The release; omitted if the program does not know it. */
	version?: string;
	/** The time zone of schedules without one of their own. */
	zone: string;
}

export interface InstantList {
	next: string[];
	/** Due times before or between those of next that will not fire, at most 100 rows. */
	suppressed?: SuppressedTimes[];
}

export interface Job {
	/** Read-only. */
	addTime?: string;
	/** Addresses separated by commas. */
	alarmEmail?: string;
	/** The app name of the group, in place of jobGroup. */
	appName?: string;
	/** 1 to 64 characters. */
	author?: string;
	/** Ids of the jobs to trigger when a run succeeds. */
	childJobIds?: number[];
	/** What happens to a run that arrives while another of the job is in progress. */
	executorBlockStrategy?: "SERIAL_EXECUTION" | "DISCARD_LATER" | "COVER_EARLY";
	/** Further attempts after a failed run. */
	executorFailRetryCount?: number;
	/** The name of the handler in the executor; required for BEAN jobs. */
	executorHandler?: string;
	/** The parameter passed to the handler, at most 65535 bytes. */
	executorParam?: string;
	/** Which executor of the group gets a run. */
	executorRouteStrategy?: "FIRST" | "LAST" | "ROUND" | "RANDOM" | "CONSISTENT_HASH" | "LEAST_FREQUENTLY_USED" | "LEAST_RECENTLY_USED" | "FAILOVER" | "BUSYOVER" | "SHARDING_BROADCAST";
	/** Longest run time in seconds; 0 means no limit. */
	executorTimeout?: number;
	/** A description of the version, at most 128 characters. A change of the source without a remark empties it. */
	glueRemark?: string;
	/** The source of a script job. A change creates a new version; see the glue calls. */
	glueSource?: string;
	/** BEAN, or the language of glueSource. */
	glueType?: "BEAN" | "GLUE_GROOVY" | "GLUE_SHELL" | "GLUE_PYTHON" | "GLUE_PYTHON2" | "GLUE_NODEJS" | "GLUE_POWERSHELL" | "GLUE_PHP";
	/** Must be omitted for a new job. */
	id?: number;
	/** The id of the group whose executors run the job; a new job requires it or appName. */
	jobGroup?: number;
	/** What happens to missed due times. */
	misfireStrategy?: "DO_NOTHING" | "FIRE_ONCE_NOW" | "LATEST" | "ALL";
	/** 1 to 255 characters. */
	name?: string;
	/** Read-only. */
	running?: boolean;
	/** Depends on scheduleType. NONE: empty. CRON: an expression of six or seven fields, such as 0 0 2 * * ?. FIX_RATE: seconds between two due times, such as 30. FIX_DELAY: seconds between the end of a run and the next, such as 30. ONCE: an RFC 3339 instant, such as 2030-01-02T15:04:05Z. */
	scheduleConf?: string;
	/** The meaning of scheduleConf; defaults to NONE for a new job. */
	scheduleType?: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE";
	/** Replaces the job's settings as a whole. */
	settings?: Settings;
	/** Words by which the job is found, at most 20 of 1 to 64 characters, without commas. They are kept sorted, each once. */
	tags?: string[];
	/** Read-only: the last due time. */
	triggerLastTime?: string;
	/** Read-only: the next due time; omitted if there is none. */
	triggerNextTime?: string;
	/** Read-only. Each change increases it. */
	updateTime?: string;
}

export interface JobList {
	/** The number of entries on all pages, exact up to 10000. */
	count?: number;
	jobs: Job[];
	/** There are more entries than count. */
	more?: boolean;
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
	/** The second part of the cursor, for other orders than ID. */
	nextKey?: string;
	/** With recent: the newest runs of each job of the page that has any, in the order of the page. */
	recent?: JobRuns[];
	/** With words: the schedules of the jobs of the page, in its order. A job whose schedule is invalid is left out. */
	words?: JobWords[];
}

export interface JobRuns {
	/** The job. */
	id: number;
	/** The newest first, at most 20. */
	runs: LastRun[];
}

export interface JobUpdate {
	/** Read-only. */
	addTime?: string;
	/** Addresses separated by commas. */
	alarmEmail?: string;
	/** The app name of the group, in place of jobGroup. */
	appName?: string;
	/** 1 to 64 characters. */
	author?: string;
	/** Ids of the jobs to trigger when a run succeeds. */
	childJobIds?: number[];
	/** What happens to a run that arrives while another of the job is in progress. */
	executorBlockStrategy?: "SERIAL_EXECUTION" | "DISCARD_LATER" | "COVER_EARLY";
	/** Further attempts after a failed run. */
	executorFailRetryCount?: number;
	/** The name of the handler in the executor; required for BEAN jobs. */
	executorHandler?: string;
	/** The parameter passed to the handler, at most 65535 bytes. */
	executorParam?: string;
	/** Which executor of the group gets a run. */
	executorRouteStrategy?: "FIRST" | "LAST" | "ROUND" | "RANDOM" | "CONSISTENT_HASH" | "LEAST_FREQUENTLY_USED" | "LEAST_RECENTLY_USED" | "FAILOVER" | "BUSYOVER" | "SHARDING_BROADCAST";
	/** Longest run time in seconds; 0 means no limit. */
	executorTimeout?: number;
	/** A description of the version, at most 128 characters. A change of the source without a remark empties it. */
	glueRemark?: string;
	/** The source of a script job. A change creates a new version; see the glue calls. */
	glueSource?: string;
	/** BEAN, or the language of glueSource. */
	glueType?: "BEAN" | "GLUE_GROOVY" | "GLUE_SHELL" | "GLUE_PYTHON" | "GLUE_PYTHON2" | "GLUE_NODEJS" | "GLUE_POWERSHELL" | "GLUE_PHP";
	/** Must be omitted for a new job. */
	id?: number;
	/** The updateTime that the job was read with. If the job was changed since, nothing is changed, and the answer is 409 with the fields that differ. */
	ifUpdated?: string;
	/** As ifUpdated, by the version that was read. */
	ifVersion?: number;
	/** The id of the group whose executors run the job; a new job requires it or appName. */
	jobGroup?: number;
	/** What happens to missed due times. */
	misfireStrategy?: "DO_NOTHING" | "FIRE_ONCE_NOW" | "LATEST" | "ALL";
	/** 1 to 255 characters. */
	name?: string;
	/** Read-only. */
	running?: boolean;
	/** Depends on scheduleType. NONE: empty. CRON: an expression of six or seven fields, such as 0 0 2 * * ?. FIX_RATE: seconds between two due times, such as 30. FIX_DELAY: seconds between the end of a run and the next, such as 30. ONCE: an RFC 3339 instant, such as 2030-01-02T15:04:05Z. */
	scheduleConf?: string;
	/** The meaning of scheduleConf; defaults to NONE for a new job. */
	scheduleType?: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE";
	/** Replaces the job's settings as a whole. */
	settings?: Settings;
	/** Words by which the job is found, at most 20 of 1 to 64 characters, without commas. They are kept sorted, each once. */
	tags?: string[];
	/** Read-only: the last due time. */
	triggerLastTime?: string;
	/** Read-only: the next due time; omitted if there is none. */
	triggerNextTime?: string;
	/** Read-only. Each change increases it. */
	updateTime?: string;
}

export interface JobWords {
	en: string;
	/** The job. */
	id: number;
	zh: string;
}

export interface KeysKept {
	/** How many jobs have got a key. */
	kept: number;
}

export interface LastRun {
	logId: number;
	status: "RUNNING" | "SUCCESS" | "FAIL";
	triggerTime?: string;
}

export interface LimitInfo {
	/** Jobs in one bulk call. */
	bulk: number;
	/** How long a stop waits for hand-overs. */
	drainMs: number;
	/** Fires that are handed over at once. */
	fastPool: number;
	/** Entries on one page of a list. */
	page: number;
	/** Fires of one app that are handed over at once by each of the two; omitted if that is half of its places. */
	poolPerApp?: number;
	/** How far the machine's clock may be off the store's; a negative value means that this is not checked. */
	skewLimitMs: number;
	/** Fires of slow jobs that are handed over at once. */
	slowPool: number;
}

export interface ListedRun {
	alarmStatus: number;
	/** The app name of the group; omitted if that was removed. */
	appName?: string;
	executorAddress: string;
	executorFailRetryCount: number;
	executorHandler: string;
	executorParam: string;
	executorShardingParam?: string;
	handleCode: number;
	handleMsg?: string;
	handleTime?: string;
	/** When the run was due and what happened to it. It is missing if another program, such as a Java admin, handed the run over. */
	history?: History;
	id: number;
	jobGroup: number;
	jobId: number;
	/** Omitted if the job was removed. */
	jobName?: string;
	/** The result is lost, see the status LOST. */
	lost?: boolean;
	/** Only with the parameter related: the run whose success triggered this one, the other shards and attempts of its fire, its repetitions, and the runs that its success triggered, of the job's present children. They are searched for among the first 1000 runs of each job since that fire. */
	related?: RelatedRun[];
	/** The meaning of triggerCode and handleCode. */
	status: "RUNNING" | "SUCCESS" | "FAIL";
	/** How long the run took, in milliseconds, or has taken if it is still running. Omitted if no executor took it. Runs without a history have whole seconds. */
	tookMs?: number;
	triggerCode: number;
	triggerMsg: string;
	triggerTime?: string;
}

export interface Login {
	name: string;
	password: string;
}

export interface Me {
	/** What the user may do; a token may do less. */
	grants: Grant[];
	hasPassword: boolean;
	id: number;
	name: string;
}

export interface Misfire {
	/** When it was noticed. */
	at: string;
	/** The calendar. */
	calendar?: string;
	/** The first due time concerned. */
	due: string;
	id: number;
	jobId: number;
	/** late: found too late, the strategy decided. paused: in a pause. excluded: on a day without work of the job's calendar. lost: may have been sent, but the store has lost the record. */
	kind: "late" | "paused" | "excluded" | "lost";
	/** What decided; omitted with the kind lost, where nothing did. */
	misfireStrategy?: "DO_NOTHING" | "FIRE_ONCE_NOW" | "LATEST" | "ALL";
	/** The pause. */
	pauseId?: number;
	/** The last due time concerned. */
	until: string;
}

export interface MisfireList {
	misfires: Misfire[];
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
}

export interface NewPause {
	/** Pause the schedules of all groups; exactly one of all, jobGroup and appName is given. */
	all?: boolean;
	/** Pause the schedules of the group with this app name. */
	appName?: string;
	/** Pause the schedules of this group. */
	jobGroup?: number;
	/** Why; at most 500 characters. */
	note?: string;
	/** When it ends by itself, at most 366 days ahead; omit it for a pause that somebody ends. */
	until?: string;
}

export interface NewToken {
	id: number;
	/** The secret, for the header Authorization: Bearer. It is not shown again. */
	token: string;
}

export interface Node {
	/** Where other nodes reach it, as it last said; it gets fires of a leader there. */
	address?: string;
	/** How far its clock is ahead of the store's in milliseconds, as it last said; negative if it is behind. */
	clockAheadMs: number;
	/** What the elector said of it at its last renewal: none (no elector), elected, waits, or away (the elector did not answer). */
	election: "none" | "elected" | "waits" | "away";
	/** The number of its leadership, if it is elected. */
	electionNumber?: number;
	/** Address of its elector, if the node that answers has one too; all of a store have the same. */
	elector?: string;
	/** Its pool for ordinary jobs, as it last said. */
	fast: Pool;
	/** Fires that a leader planned for another node, as it last said; omitted outside of the mode leader. */
	fires?: Spread;
	/** The latest stored move of partitions to or from it in its term; omitted if there is none. */
	lastMove?: PartitionMove;
	/** all: it plans jobs beside others. leader: it plans all jobs or none. */
	mode: "all" | "leader";
	node: string;
	/** How many of the 64 partitions it plans. */
	partitions: number;
	/** plans: a part of the jobs. leads: all of them. standby: none until the leader's lease ends. retired: none until it has a new term, since it was drained or stops. */
	role: "plans" | "leads" | "standby" | "retired";
	/** Its pool for slow jobs, as it last said. */
	slow: Pool;
	/** Who hands over what it plans while it leads: none: itself. hash, random, round: all nodes, by the job, at random or in turn. Omitted outside of the mode leader. */
	spread?: "none" | "hash" | "random" | "round";
	term: number;
	/** When its lease expires unless it is renewed. */
	until: string;
}

export interface NodeDrain {
	/** A node that holds a lease, as the list of nodes shows it. */
	node: string;
}

export interface NodeList {
	/** How partitions have changed hands, the latest 100, the newest first. */
	moves: PartitionMove[];
	nodes: Node[];
}

export interface None {
}

export interface Order {
	addTime: string;
	fire: number;
	id: number;
	idempotencyKey?: string;
	jobId: number;
	/** The runs, one for each shard; empty until STARTED. Retries of a failed run have ids of their own. */
	logIds: number[];
	/** PLANNED: it waits to be handed over. STARTED: logIds names its runs. DROPPED: it did not become a run. */
	state: "PLANNED" | "STARTED" | "DROPPED";
}

export interface Overview {
	/** Calendars of running jobs without the days of this year, or of a next year that begins within 31 days. */
	calendars: PoorCalendar[];
	/** Runs triggered in the last 24 hours that failed. */
	failed24h: Figure;
	/** Jobs whose newest run failed, among the newest 1000 failures of the last 24 hours; at most 20, those with the most failures in a row first. */
	failing: FailingJob[];
	/** Executors that got one of the newest 1000 runs within the last 24 hours, and that the group of the run no longer has; at most 20, the latest first. */
	gone: GoneExecutor[];
	/** 99 of 100 among the newest 1000 runs were sent at most this many milliseconds after they were due. */
	lateP99Ms?: number;
	/** The next 20 due times, one of each job. */
	next: DueJob[];
	/** Groups with running jobs and without an executor. */
	noExecutor: IdleGroup[];
	/** Running jobs that have not been due since their schedule was switched on, and will not be within a day; at most 20, of the first 100 that have not been due. */
	notFired: DueJob[];
	/** The store's clock. */
	now: string;
	/** Running jobs whose due time passed more than 10 seconds ago; at most 20, the longest overdue first. */
	overdue: DueJob[];
	/** Pauses that have not ended, newest first; at most 20. */
	paused: Pause[];
	/** Jobs whose schedule is on. */
	runningJobs: Figure;
	/** Runs without an outcome. */
	runsNow: Figure;
}

export interface PartitionMove {
	at: string;
	/** joined: it got partitions. stopped: it was stopped. drained: an operator took them. skewed: its clock is off. died: its presence ended, then its lease lapsed. lapsed: its lease lapsed, as when it is frozen or the store does not report presence. */
	cause: "joined" | "stopped" | "drained" | "skewed" | "died" | "lapsed";
	node: string;
	/** How many of the 64 it got or lost. */
	partitions: number;
	term: number;
}

export interface Password {
	/** At least 8 characters. */
	new: string;
	/** The current password. */
	old: string;
}

export interface Pause {
	/** Who began it. */
	by: string;
	/** Who ended it before its time. */
	endedBy?: string;
	from: string;
	id: number;
	/** The group whose schedules it holds up; omitted for those of all groups. */
	jobGroup?: number;
	note: string;
	/** True if it has not ended. */
	open: boolean;
	/** The first instant after it; omitted while it lasts until somebody ends it. */
	until?: string;
}

export interface PauseList {
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
	pauses: Pause[];
}

export interface Percentiles {
	/** The number of runs that are measured. */
	count: number;
	/** Half of the runs have at most this many milliseconds, which may be a sixteenth too high. */
	p50Ms?: number;
	/** 99 of 100 runs have at most this many milliseconds, which may be a sixteenth too high. */
	p99Ms?: number;
}

export interface Planned {
	fire: number;
	/** Finds the run; see /api/v1/orders/{id}. */
	order: number;
	/** True if the key was known and nothing was started: the answer is that of the first call. */
	repeated?: boolean;
}

export interface Pool {
	/** Runs that are being handed over. */
	inFlight: number;
	/** How many runs can be handed over at a time; 0 if it has not said so yet. */
	places: number;
	/** Runs that wait for a place. */
	waiting: number;
}

export interface PoorCalendar {
	/** The running jobs that name it. */
	jobs: Figure;
	name: string;
	/** The year without days: only the weekend counts in it. */
	year: number;
}

export interface PreviewDay {
	day: string;
	/** The day has no work by the calendar. */
	excluded?: boolean;
	/** There are more than 100. */
	more?: boolean;
	/** The number of due times, exact up to 100. */
	times: number;
}

export interface PreviewTime {
	at: string;
	/** The day has no work by the calendar: a job does not fire. */
	excluded?: boolean;
	/** How a clock change concerns it. SHIFTED: the clock skips the time that was meant, this is right after the gap. FIRST_PASS, SECOND_PASS: the clock shows this time twice. */
	mark?: "SHIFTED" | "FIRST_PASS" | "SECOND_PASS";
}

export interface Problem {
	/** The place in the file, such as jobs[2].scheduleConf. */
	at?: string;
	/** The name of the file. */
	file?: string;
	/** The line of the file, from 1. */
	line?: number;
	/** Field, value and rule. */
	message: string;
	/** The message in Chinese. */
	messageZh?: string;
}

export interface Queue {
	/** Why the broker does not say. */
	error?: string;
	/** When the oldest of them was published; omitted if there is none. */
	oldest?: string;
	/** How many of them were delivered more than once: executors died with them, or could not write them down. */
	redelivered: number;
	/** Runs that no executor has acknowledged. */
	runs: number;
}

export interface RelatedRun {
	attempt: number;
	due: string;
	/** index/total, for a shard of a broadcast to several executors. */
	executorShardingParam?: string;
	jobId: number;
	/** Omitted if the job was removed. */
	jobName?: string;
	/** PARENT: its success triggered the run. SHARD: of the same broadcast. ATTEMPT: an attempt of the same fire. REPEAT: somebody repeated the run. CHILD: the run's success triggered it. */
	kin: "PARENT" | "SHARD" | "ATTEMPT" | "REPEAT" | "CHILD";
	logId: number;
	status: "RUNNING" | "SUCCESS" | "FAIL";
}

export interface Report {
	failCount: number;
	runningCount: number;
	sucCount: number;
	triggerDay: string;
}

export interface ReportList {
	reports: Report[];
}

export interface Rerun {
	/** The executors to choose from; defaults to those of the group. */
	addressList?: string[];
	/** The parameter passed to the handler; defaults to that of the run. */
	executorParam?: string;
}

export interface RetentionInfo {
	/** How long the audit and replaced versions of jobs are kept; omitted if forever. */
	auditSeconds?: number;
	/** How long runs are kept; omitted if forever. */
	logsSeconds?: number;
	/** The runs whose log texts are stored: off, failures or all. */
	runTexts?: "off" | "failures" | "all";
	/** How long statistics of runs are kept; omitted if forever. */
	statsSeconds?: number;
	/** How long successful runs of jobs that keep failures only are kept. */
	successesSeconds: number;
}

export interface Run {
	alarmStatus: number;
	executorAddress: string;
	executorFailRetryCount: number;
	executorHandler: string;
	executorParam: string;
	executorShardingParam?: string;
	handleCode: number;
	handleMsg?: string;
	handleTime?: string;
	/** When the run was due and what happened to it. It is missing if another program, such as a Java admin, handed the run over. */
	history?: History;
	id: number;
	jobGroup: number;
	jobId: number;
	/** Only with the parameter related: the run whose success triggered this one, the other shards and attempts of its fire, its repetitions, and the runs that its success triggered, of the job's present children. They are searched for among the first 1000 runs of each job since that fire. */
	related?: RelatedRun[];
	/** The meaning of triggerCode and handleCode. */
	status: "RUNNING" | "SUCCESS" | "FAIL";
	triggerCode: number;
	triggerMsg: string;
	triggerTime?: string;
}

export interface RunList {
	/** The number of entries on all pages, exact up to 10000. */
	count?: number;
	/** There are more entries than count. */
	more?: boolean;
	/** The cursor of the next page; omitted on the last page. With a next, a page may be shorter than limit, or empty: a search reads 50000 rows for one page. */
	next?: number;
	runs: ListedRun[];
}

export interface SchedulePreview {
	/** True if each due time depends on the end of a run; runs are then assumed to take no time. */
	assumed: boolean;
	/** Years of these times and days of which the calendar has no days: only its weekend counts there. */
	calendarLacksYears?: number[];
	/** Changes of the zone's clock up to the last time or day, at most 24. */
	clockChanges: ClockChange[];
	/** The days that have due times, if months is given. */
	days?: PreviewDay[];
	/** The next due times; fewer than requested if the schedule ends. */
	times: PreviewTime[];
	/** The schedule in words. */
	words: Words;
	/** The time zone of all times and days. */
	zone: string;
}

export interface Session {
	/** When the session or the token ends unless it is used; omitted without one. */
	expires?: string;
	/** What the caller may do. */
	grants: Grant[];
	/** How the caller is authenticated: user, token, operator, or open if the API needs no authentication; the other kinds do not occur. Omitted if the caller has to sign in. */
	kind?: "open" | "user" | "token" | "operator" | "executor" | "command" | "scheduler";
	/** The name of the user; omitted for callers that are no users. */
	name?: string;
	/** The name of the provider at which /api/v1/login/oidc signs in; omitted without one. */
	oidc?: string;
	/** True if the connection is encrypted. Otherwise others may read the password and the session on the way. */
	secure: boolean;
	/** True while there is no user, and the one-time link in the scheduler's log creates the first one. */
	setup: boolean;
}

export interface Settings {
	alarmAfter?: number;
	alarmOn?: "EACH" | "LAST_RETRY" | "IN_A_ROW" | "NEVER";
	alarmRecovered?: boolean;
	ambiguous?: "PROBE" | "SKIP" | "RESEND";
	calendar?: string;
	keepLogs?: "ALL" | "FAILURES";
	misfireLimit?: number;
	misfireSpacingMs?: number;
	misfireWindowMs?: number;
	retryBackoffLimitMs?: number;
	retryBackoffMs?: number;
	zone?: string;
}

export interface Span {
	from: string;
	running: boolean;
	scheduleConf: string;
	scheduleType: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE";
	/** It ends before this instant. */
	to: string;
	/** Empty means the scheduler's. */
	zone?: string;
}

export interface Spread {
	/** Meant for another one, which did not take them. */
	kept: number;
	/** Taken from a leader. */
	received: number;
	/** Given to others, as the leader. */
	sent: number;
}

export interface Started {
	triggerNextTime?: string;
}

export interface Stat {
	/** Its app name, unless it was removed. */
	appName?: string;
	/** How long runs took from the request to the result. */
	duration: Percentiles;
	/** The handler reported a failure. */
	failed: number;
	/** The beginning of the hour, by hour. */
	hour?: string;
	/** The group, by group. */
	jobGroup?: number;
	/** The job, by job. */
	jobId?: number;
	/** Its name, unless it was removed. */
	jobName?: string;
	/** The run was killed, or ended by a later run of its job. */
	killed: number;
	/** How long after its due time the first request of a scheduled run was sent. */
	lateness: Percentiles;
	/** The executor is gone, or it is unknown whether it got the run. */
	lost: number;
	/** No executor took the run. */
	notSent: number;
	/** Runs with a result. Those that are still running are not counted. */
	runs: number;
	success: number;
	/** The run exceeded its time limit. */
	timeout: number;
}

export interface StatList {
	/** The beginning of the first hour. */
	from: string;
	/** By hour or by group in their order; by job, those with the most runs that did not succeed first. What has no runs is left out. A run is counted a minute or two after its trigger at the latest, if it has a result by then. */
	stats: Stat[];
	/** The end of the last hour. */
	to: string;
	/** All runs together, also those of jobs beyond limit. */
	total: Stat;
}

export interface StoreInfo {
	/** A journal beside the tables is in use. */
	journal?: boolean;
	kind: "MEMORY" | "SQLITE" | "MYSQL" | "POSTGRES";
	/** The version of the side tables. */
	schema?: number;
	/** What the database program says of itself. */
	version?: string;
}

export interface SuppressedTimes {
	calendar?: string;
	/** The first of them. */
	from: string;
	pauseId?: number;
	/** The last of them; for a pause without an end, the first. */
	to: string;
}

export interface TagCount {
	/** The number of jobs that have the tag. */
	jobs: number;
	tag: string;
}

export interface TagList {
	/** Ordered by their bytes. */
	tags: TagCount[];
}

export interface Tail {
	/** The number of the first line; lines before it that were not sent are left out. */
	fromLineNum?: number;
	/** True in the last event of the stream. */
	isEnd: boolean;
	logContent?: string;
	/** What the run reported; in the last event. */
	message?: string;
	/** Why no more of the text can be read, or why a stored text is incomplete; in the last event. */
	note?: string;
	/** How the run ended; in the last event. */
	status?: "RUNNING" | "SUCCESS" | "FAIL";
	toLineNum?: number;
}

export interface TakeOver {
	/** The days of the daily report. */
	days: TakenCount;
	/** Nothing was written. */
	dryRun: boolean;
	/** The database, without user and password. */
	from: string;
	groups: TakenCount;
	jobs: TakenCount;
	/** The jobs of the database that the store has, by their ids there. */
	jobsTaken: TakenJob[];
	/** New groups and jobs have the ids that they have in the database. */
	keptIds: boolean;
	notes: TakeOverNote[];
	/** Executors or triggers wrote to the database less than a minute ago, so an admin of XXL-JOB seems to work on it: jobs that are started here would fire twice. */
	served: boolean;
	users: TakenCount;
	/** The versions of scripts. */
	versions: TakenCount;
}

export interface TakeOverNote {
	id?: number;
	/** group, job, version, user, day or database. */
	kind: string;
	name?: string;
	/** What the note says, as a code that stays the same when the text is reworded. */
	rule?: string;
	text: string;
	/** The text in Chinese. */
	textZh?: string;
	/** changed: it is taken with another value; left: it is not taken; advice: somebody should do something. */
	what: string;
}

export interface TakenCount {
	/** The store has them already. */
	before: number;
	/** They are not taken; a note says why. */
	left: number;
	taken: number;
}

export interface TakenJob {
	/** The id in the database. */
	from: number;
	/** The id in the store; 0 in a dry run, if it is not known yet. */
	id: number;
	name: string;
	/** It is taken now. */
	new: boolean;
	/** XXL-JOB has the schedule on. */
	on: boolean;
	/** The schedulers understand the schedule. */
	starts: boolean;
}

export interface Text {
	fromLineNum: number;
	/** True if nothing more will come. Otherwise continue with the line after toLineNum: a long text comes in parts. */
	isEnd: boolean;
	logContent: string;
	/** Why a stored text is incomplete. */
	note?: string;
	/** For a stored text, how many bytes the executor had. */
	size?: number;
	/** True if the text comes from the scheduler's store and not from the executor. */
	stored?: boolean;
	/** The number of the last line; 0 means none. */
	toLineNum: number;
}

export interface Tick {
	due: string;
	/** What became of it: it has a run, its fire waits, it was found too late, a pause or the calendar suppresses it, it is still to come, or nothing is stored about it. */
	fate: "FIRED" | "OPEN" | "MISFIRE" | "PAUSED" | "EXCLUDED" | "COMING" | "NOTHING";
}

export interface TimelineAnswer {
	from: string;
	/** Due times that got no fire of their own, with the strategy that decided so. */
	misfires: Misfire[];
	/** True if there are more than 10,000 due times, runs or misfires; those are left out, and of the misfires the oldest ones. */
	more?: boolean;
	/** The due times of those schedules. A schedule that is off has none. */
	planned: Tick[];
	/** The runs that were due in that time, by due time. */
	runs: Bar[];
	/** True if the job was changed since from, and nothing tells how its schedule was: the due times are those of the present one. */
	scheduleIsPresent?: boolean;
	/** The schedules that the job had in that time, one after the other. */
	schedules: Span[];
	to: string;
}

export interface Token {
	/** When it ends, within 366 days. */
	expires: string;
	/** The groups to which the token is limited, in each of which its user has a role; defaults to all of the user's groups. */
	groups?: number[];
	/** What it is for, 1 to 64 bytes. */
	name: string;
	/** The highest role of the token; defaults to that of its user. */
	role?: "viewer" | "operator" | "editor" | "coder" | "admin";
	/** The name of its user; defaults to the caller. Others need an administrator of all groups. */
	user?: string;
}

export interface Trigger {
	/** The executors to choose from; defaults to those of the group. They must be registered, or allowed by the scheduler's settings. */
	addressList?: string[];
	/** The parameter passed to the handler; defaults to the job's own. */
	executorParam?: string;
}

export interface Undrain {
	/** A drained address of the group, which may no longer be registered. */
	address: string;
}

export interface User {
	/** Read-only. */
	addTime?: string;
	/** Replaces all roles of the user. */
	grants?: Grant[];
	/** Read-only. */
	hasPassword?: boolean;
	/** Must be omitted for a new user. */
	id?: number;
	/** 1 to 50 characters without blanks and slashes. It cannot be changed. */
	name?: string;
	/** At least 8 characters; empty means that the user cannot sign in by password. It is never shown. A change ends the user's sessions and personal tokens. */
	password?: string;
	/** Read-only: true if the user signs in at a provider of OpenID Connect, which also grants the roles. */
	provider?: boolean;
}

export interface UserList {
	users: User[];
}

export interface Version {
	/** Who made the edit; omitted for a state that another program left, or an earlier release. */
	actor?: Actor;
	/** Method and path of the call. */
	call?: string;
	/** The fields that differ from the version before, or from the one that against names. The source is not among them; glueUpdated says when it changed. */
	changes: FieldChange[];
	/** The job as it was, without its source; omitted in lists. */
	job?: Job;
	/** When it took effect. */
	time: string;
	/** Counts from 1 within the job. */
	version: number;
}

export interface VersionList {
	/** The cursor of the next page; omitted on the last page. */
	next?: number;
	/** Newest first. A job that was not edited since this release was installed has none. */
	versions: Version[];
}

export interface WhyAnswer {
	/** The reasons, in the order in which they matter. */
	findings: Finding[];
	/** The time in question begins here. */
	from: string;
	/** True if the job was changed since, and nothing tells how its schedule was: the answer is by the present one. */
	scheduleIsPresent?: boolean;
	/** It ends before this instant. */
	to: string;
}

export interface Words {
	en: string;
	zh: string;
}

export interface Calls {
	/** Send a test alarm through each configured channel, and say what became of it. */
	"POST /alarms/test": {
		params: { };
		body: AlarmTest | undefined;
		answer: AlarmTest;
	};
	/** Make calendars, groups and jobs be as declared, all or nothing. */
	"POST /apply": {
		params: { dryRun?: boolean };
		body: Apply;
		answer: ApplyResult;
	};
	/** List who changed what, oldest or newest first. */
	"GET /audit": {
		params: { after?: number; limit?: number; actor?: string; kind?: "job" | "group" | "run" | "runs" | "zone" | "user" | "token" | "alarm" | "pause" | "calendar" | "node"; object?: number; job?: number; group?: number; since?: string; before?: string; newest?: boolean };
		body: undefined;
		answer: AuditList;
	};
	/** Download the audit as JSON lines or as CSV. */
	"GET /audit/export": {
		params: { actor?: string; kind?: "job" | "group" | "run" | "runs" | "zone" | "user" | "token" | "alarm" | "pause" | "calendar" | "node"; object?: number; job?: number; group?: number; since?: string; before?: string; format?: "jsonl" | "csv" };
		body: undefined;
		answer: string;
	};
	/** Check that no row of the audit was changed, removed or inserted. */
	"GET /audit/verify": {
		params: { };
		body: undefined;
		answer: AuditCheck;
	};
	/** List backfills with their progress, newest first. */
	"GET /backfills": {
		params: { job?: number; state?: "RUNNING" | "DONE" | "CANCELLED"; after?: number; limit?: number };
		body: undefined;
		answer: BackfillList;
	};
	/** Show the progress of a backfill. */
	"GET /backfills/{id}": {
		params: { id: number };
		body: undefined;
		answer: Backfill;
	};
	/** Cancel a running backfill. Nothing more begins, and runs in progress continue. */
	"POST /backfills/{id}/cancel": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** List calendars of days without work, by name. */
	"GET /calendars": {
		params: { };
		body: undefined;
		answer: CalendarList;
	};
	/** Delete a stored calendar. It is refused while jobs name the calendar, unless a built-in one takes its place. */
	"DELETE /calendars/{name}": {
		params: { name: string };
		body: undefined;
		answer: None;
	};
	/** Show a calendar. */
	"GET /calendars/{name}": {
		params: { name: string };
		body: undefined;
		answer: Calendar;
	};
	/** Store a calendar in place of the one with its name. */
	"PUT /calendars/{name}": {
		params: { name: string };
		body: Calendar;
		answer: Calendar;
	};
	/** List the next times of a cron expression. */
	"GET /cron/next": {
		params: { expr?: string; zone?: string; profile?: string; from?: string; count?: number };
		body: undefined;
		answer: InstantList;
	};
	/** Stream what changes, as server-sent events. Each event names a topic and an id. */
	"GET /events": {
		params: { };
		body: undefined;
		answer: string;
	};
	/** Download declarations of calendars, groups and jobs. They name jobs by app names and keys, and have no tokens. */
	"GET /export": {
		params: { appName?: string; owner?: string; withoutRunning?: boolean; format?: string };
		body: undefined;
		answer: string;
	};
	/** Store the keys that jobs are exported with. Keys that were only made of names stay when a job is renamed. */
	"POST /export": {
		params: { appName?: string; owner?: string; withoutRunning?: boolean };
		body: undefined;
		answer: KeysKept;
	};
	/** List fires that are not settled, by due time. */
	"GET /fires": {
		params: { job?: number; state?: "planned" | "claimed" | "ambiguous"; afterDue?: string; afterId?: number; limit?: number };
		body: undefined;
		answer: FireList;
	};
	/** Show how many fires and how much run time to expect, by quarter of an hour. */
	"GET /forecast": {
		params: { hours?: number; group?: number; at?: string };
		body: undefined;
		answer: Forecast;
	};
	/** Show jobs and their child jobs in layers, with their last results. */
	"GET /graph": {
		params: { job?: number };
		body: undefined;
		answer: Graph;
	};
	/** List groups of executors, by id. */
	"GET /groups": {
		params: { };
		body: undefined;
		answer: GroupList;
	};
	/** Create a group. */
	"POST /groups": {
		params: { };
		body: Group;
		answer: Created;
	};
	/** Delete a group that has no jobs. */
	"DELETE /groups/{id}": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** Show a group. */
	"GET /groups/{id}": {
		params: { id: number };
		body: undefined;
		answer: Group;
	};
	/** Change the given fields of a group. App name, addresses and token need an administrator of all groups. */
	"PUT /groups/{id}": {
		params: { id: number };
		body: GroupUpdate;
		answer: None;
	};
	/** Send no new runs to one executor address of a group. That lasts until a given time, or until it is undone. Runs in progress continue. */
	"POST /groups/{id}/drain": {
		params: { id: number };
		body: Drain;
		answer: None;
	};
	/** Probe each executor of a group. Says whether it answers, and which generation of the protocol it speaks. */
	"GET /groups/{id}/executors": {
		params: { id: number };
		body: undefined;
		answer: ExecutorList;
	};
	/** Send runs to a drained executor address again. */
	"POST /groups/{id}/undrain": {
		params: { id: number };
		body: Undrain;
		answer: None;
	};
	/** Show what this scheduler is: version, store, zone, features, retention and limits. */
	"GET /info": {
		params: { };
		body: undefined;
		answer: Info;
	};
	/** List jobs, by id or in another order. */
	"GET /jobs": {
		params: { after?: number; limit?: number; group?: number; name?: string; handler?: string; author?: string; tag?: string; type?: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE"; running?: boolean; lastResult?: "SUCCESS" | "FAIL" | "NONE"; sort?: "ID" | "NAME" | "GROUP" | "AUTHOR" | "HANDLER" | "ROUTE" | "TYPE" | "STATUS" | "NEXT" | "LAST" | "UPDATED" | "RESULT"; desc?: boolean; afterKey?: string; light?: boolean; count?: boolean; recent?: boolean; words?: boolean };
		body: undefined;
		answer: JobList;
	};
	/** Create a job, stopped. Name, author, handler and jobGroup or appName must be given. */
	"POST /jobs": {
		params: { };
		body: Job;
		answer: Created;
	};
	/** Start, stop, delete, change or trigger many jobs. Each job succeeds or fails by itself. The answer has a line for each of them. */
	"POST /jobs/bulk": {
		params: { };
		body: Bulk;
		answer: string;
	};
	/** Delete a job with its runs. */
	"DELETE /jobs/{id}": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** Show a job. */
	"GET /jobs/{id}": {
		params: { id: number };
		body: undefined;
		answer: Job;
	};
	/** Change the given fields of a job. A running job continues with its new schedule. */
	"PUT /jobs/{id}": {
		params: { id: number };
		body: JobUpdate;
		answer: None;
	};
	/** Run a job for each of its due times in a past range. Once for each and in order, with a limit of runs in progress. */
	"POST /jobs/{id}/backfill": {
		params: { id: number };
		body: BackfillRequest;
		answer: BackfillStarted;
	};
	/** Create a stopped copy of a job, with the given fields changed. */
	"POST /jobs/{id}/copy": {
		params: { id: number };
		body: Job | undefined;
		answer: Created;
	};
	/** Show a job's source, and list its versions. */
	"GET /jobs/{id}/glue": {
		params: { id: number };
		body: undefined;
		answer: GlueList;
	};
	/** Store a new version of a job's source, with a remark. */
	"PUT /jobs/{id}/glue": {
		params: { id: number };
		body: GlueSave;
		answer: GlueSaved;
	};
	/** Show a version of a job's source. */
	"GET /jobs/{id}/glue/{version}": {
		params: { id: number; version: number };
		body: undefined;
		answer: Glue;
	};
	/** Restore an earlier version of a job's source, as a new version. */
	"POST /jobs/{id}/glue/{version}/restore": {
		params: { id: number; version: number };
		body: undefined;
		answer: None;
	};
	/** List the due times of a job that got no fire of their own. */
	"GET /jobs/{id}/misfires": {
		params: { id: number; after?: number; limit?: number; newest?: boolean };
		body: undefined;
		answer: MisfireList;
	};
	/** List the next due times of a job, whether its schedule is on or off. */
	"GET /jobs/{id}/next": {
		params: { id: number; count?: number };
		body: undefined;
		answer: InstantList;
	};
	/** Switch a job's schedule on. */
	"POST /jobs/{id}/start": {
		params: { id: number };
		body: undefined;
		answer: Started;
	};
	/** Switch a job's schedule off. */
	"POST /jobs/{id}/stop": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** Show the due times of a job beside its runs, with how late each was. */
	"GET /jobs/{id}/timeline": {
		params: { id: number; from?: string; to?: string };
		body: undefined;
		answer: TimelineAnswer;
	};
	/** Run a job now, even a stopped one. */
	"POST /jobs/{id}/trigger": {
		params: { id: number };
		body: Trigger | undefined;
		answer: Planned;
	};
	/** List the versions of a job, each with who made it and what it changed, newest first. */
	"GET /jobs/{id}/versions": {
		params: { id: number; after?: number; limit?: number };
		body: undefined;
		answer: VersionList;
	};
	/** Show a version of a job, and what differs from another one. Without a version to compare with, that is the one before. */
	"GET /jobs/{id}/versions/{version}": {
		params: { id: number; version: number; against?: number };
		body: undefined;
		answer: Version;
	};
	/** Restore an earlier version of a job, as a new version. Its fields are restored. Its schedule stays on or off, and its source as it is. */
	"POST /jobs/{id}/versions/{version}/restore": {
		params: { id: number; version: number };
		body: undefined;
		answer: None;
	};
	/** Say why a job did or did not run at a time, with the records that prove it. */
	"GET /jobs/{id}/why": {
		params: { id: number; at?: string };
		body: undefined;
		answer: WhyAnswer;
	};
	/** Redirect the browser to the provider of OpenID Connect. */
	"GET /login/oidc": {
		params: { };
		body: undefined;
		answer: string;
	};
	/** Complete a sign-in at the provider. Redirects the browser to the console. The roles of the user become those that the provider's claims give. */
	"GET /login/oidc/callback": {
		params: { code?: string; state?: string; error?: string };
		body: undefined;
		answer: string;
	};
	/** Show the user who calls. */
	"GET /me": {
		params: { };
		body: undefined;
		answer: Me;
	};
	/** Change one's own password. Other sessions end. */
	"PUT /me/password": {
		params: { };
		body: Password;
		answer: None;
	};
	/** List one's own sessions, by id. */
	"GET /me/sessions": {
		params: { };
		body: undefined;
		answer: CredentialList;
	};
	/** End one of one's own sessions. */
	"DELETE /me/sessions/{id}": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** List the nodes that hold a lease. */
	"GET /nodes": {
		params: { };
		body: undefined;
		answer: NodeList;
	};
	/** Let a node plan nothing more until it is started again. Its partitions move to the others, and its hand-overs continue. */
	"POST /nodes/drain": {
		params: { };
		body: NodeDrain;
		answer: None;
	};
	/** Return this description. */
	"GET /openapi.json": {
		params: { };
		body: undefined;
		answer: Record<string, unknown>;
	};
	/** Show what became of a triggered run. */
	"GET /orders/{id}": {
		params: { id: number };
		body: undefined;
		answer: Order;
	};
	/** Show at a glance what is wrong, and what comes next. */
	"GET /overview": {
		params: { };
		body: undefined;
		answer: Overview;
	};
	/** List pauses of schedules, newest first. */
	"GET /pauses": {
		params: { after?: number; limit?: number; open?: boolean };
		body: undefined;
		answer: PauseList;
	};
	/** Pause the schedules of a group, or of all groups, which needs a role for all. Nothing fires by schedule once it has returned. */
	"POST /pauses": {
		params: { };
		body: NewPause;
		answer: Pause;
	};
	/** End a pause. Due times within it are not run later. */
	"POST /pauses/{id}/end": {
		params: { id: number };
		body: undefined;
		answer: Pause;
	};
	/** Show how many runs of each day succeeded and failed, by the day of their trigger. */
	"GET /reports": {
		params: { from?: string; to?: string };
		body: undefined;
		answer: ReportList;
	};
	/** List runs, oldest or newest first. */
	"GET /runs": {
		params: { after?: number; limit?: number; job?: number; group?: number; status?: "RUNNING" | "SUCCESS" | "FAIL" | "LOST"; since?: string; before?: string; address?: string; triggerType?: "CRON" | "MISFIRE" | "MANUAL" | "PARENT" | "RETRY" | "API" | "BACKFILL"; atLeastMs?: number; text?: string; newest?: boolean; count?: boolean };
		body: undefined;
		answer: RunList;
	};
	/** Delete ended runs by age, or all but the newest. A call stops after some seconds; repeat it until done is true. */
	"POST /runs/clear": {
		params: { };
		body: Clear;
		answer: ClearAnswer;
	};
	/** Show a run. */
	"GET /runs/{id}": {
		params: { id: number; related?: boolean };
		body: undefined;
		answer: Run;
	};
	/** Kill a run, together with all other runs of its job that run or wait on the same executor. */
	"POST /runs/{id}/kill": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** Show what a run wrote, from a line on. */
	"GET /runs/{id}/log": {
		params: { id: number; from?: number };
		body: undefined;
		answer: Text;
	};
	/** Run a run again, with its parameter and its shard. The new run names it as its parent. */
	"POST /runs/{id}/rerun": {
		params: { id: number };
		body: Rerun | undefined;
		answer: Planned;
	};
	/** Stream what a run writes, as server-sent events. The stream ends with the run. */
	"GET /runs/{id}/tail": {
		params: { id: number; from?: number };
		body: undefined;
		answer: string;
	};
	/** Show what a schedule will do: its due times, in words, and at clock changes. */
	"GET /schedule/preview": {
		params: { scheduleType?: "NONE" | "CRON" | "FIX_RATE" | "FIX_DELAY" | "ONCE"; scheduleConf?: string; zone?: string; profile?: string; from?: string; count?: number; calendar?: string; months?: number };
		body: undefined;
		answer: SchedulePreview;
	};
	/** Sign out: end the session of the cookie. */
	"DELETE /session": {
		params: { };
		body: undefined;
		answer: None;
	};
	/** Show who calls, and how to sign in. */
	"GET /session": {
		params: { };
		body: undefined;
		answer: Session;
	};
	/** Sign in by name and password. The answer sets a cookie, with which further calls are the user's. */
	"POST /session": {
		params: { };
		body: Login;
		answer: Session;
	};
	/** Create the first user, an administrator, with the secret of the one-time link, and sign in. */
	"POST /session/first": {
		params: { };
		body: First;
		answer: Session;
	};
	/** Show how runs ended, how long they took and how late they were, by hour, group or job. */
	"GET /stats": {
		params: { from?: string; to?: string; by?: "hour" | "group" | "job"; group?: number; job?: number; limit?: number };
		body: undefined;
		answer: StatList;
	};
	/** List the tags of jobs, each with the number of jobs that have it. */
	"GET /tags": {
		params: { };
		body: undefined;
		answer: TagList;
	};
	/** Show what would be taken from a database of XXL-JOB. The database is the one that the scheduler was started with (xxlwheel serve --takeover-from). Nothing is written. */
	"GET /takeover": {
		params: { };
		body: undefined;
		answer: TakeOver;
	};
	/** Take jobs, and what belongs to them, from a database of XXL-JOB. Takes groups, jobs, versions of scripts, users and daily figures from the database that the scheduler was started with (xxlwheel serve --takeover-from). All or nothing. Jobs are stopped. What the store has already stays as it is. */
	"POST /takeover": {
		params: { };
		body: undefined;
		answer: TakeOver;
	};
	/** List one's own personal tokens, or those of all users, by id. A caller with a token sees that token alone. */
	"GET /tokens": {
		params: { all?: boolean };
		body: undefined;
		answer: CredentialList;
	};
	/** Create a personal token, which acts as its user within its limits. */
	"POST /tokens": {
		params: { };
		body: Token;
		answer: NewToken;
	};
	/** Delete a personal token. One's own needs a session; administrators of all groups delete any. */
	"DELETE /tokens/{id}": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** List users, by id. */
	"GET /users": {
		params: { };
		body: undefined;
		answer: UserList;
	};
	/** Create a user. */
	"POST /users": {
		params: { };
		body: User;
		answer: Created;
	};
	/** Delete a user with sessions and tokens. One administrator of all groups must remain. */
	"DELETE /users/{id}": {
		params: { id: number };
		body: undefined;
		answer: None;
	};
	/** Show a user. */
	"GET /users/{id}": {
		params: { id: number };
		body: undefined;
		answer: User;
	};
	/** Change the password or the roles of a user. One administrator of all groups must remain. */
	"PUT /users/{id}": {
		params: { id: number };
		body: User;
		answer: None;
	};
}
