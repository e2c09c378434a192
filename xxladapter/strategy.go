package xxladapter

import "fmt"

// A ScheduleType determines how a job's schedule_conf is parsed. The spelling is XXL-JOB's; two of
// the types are in none of its releases.
type ScheduleType string

const (
	ScheduleNone     ScheduleType = "NONE"      // only triggered by hand, by a parent or through the API
	ScheduleCron     ScheduleType = "CRON"      // a cron expression in the scheduler's dialect
	ScheduleFixRate  ScheduleType = "FIX_RATE"  // seconds between two due times
	ScheduleFixDelay ScheduleType = "FIX_DELAY" // seconds after the end of the previous run; not in XXL-JOB
	ScheduleOnce     ScheduleType = "ONCE"      // one RFC 3339 instant; not in XXL-JOB
)

// Values lists all schedule types.
func (ScheduleType) Values() []ScheduleType {
	return []ScheduleType{ScheduleNone, ScheduleCron, ScheduleFixRate, ScheduleFixDelay, ScheduleOnce}
}

// Validate refuses a type that does not exist; the empty one means any.
func (t ScheduleType) Validate() error { return checkOneOfOrEmpty("type", t) }

// A MisfireStrategy decides about due times that were found later than the window allows.
type MisfireStrategy string

const (
	MisfireDoNothing   MisfireStrategy = "DO_NOTHING"
	MisfireFireOnceNow MisfireStrategy = "FIRE_ONCE_NOW"

	// Not in XXL-JOB, whose admins treat them as DO_NOTHING.
	MisfireLatest MisfireStrategy = "LATEST" // the latest missed due time fires
	MisfireAll    MisfireStrategy = "ALL"    // all missed due times fire, within [Settings.MisfireLimit]
)

// MisfireStoreLost marks a misfire, in place of a job's strategy: the store has lost what it knew
// about the due times, which may have been sent. No job has it as its strategy.
const MisfireStoreLost = "STORE_LOST"

// Values lists all misfire strategies of jobs.
func (MisfireStrategy) Values() []MisfireStrategy {
	return []MisfireStrategy{MisfireDoNothing, MisfireFireOnceNow, MisfireLatest, MisfireAll}
}

// A RouteStrategy selects the executor of a trigger; the algorithms are in package route.
type RouteStrategy string

const (
	RouteFirst             RouteStrategy = "FIRST"
	RouteLast              RouteStrategy = "LAST"
	RouteRound             RouteStrategy = "ROUND"
	RouteRandom            RouteStrategy = "RANDOM"
	RouteConsistentHash    RouteStrategy = "CONSISTENT_HASH"
	RouteLFU               RouteStrategy = "LEAST_FREQUENTLY_USED"
	RouteLRU               RouteStrategy = "LEAST_RECENTLY_USED"
	RouteFailover          RouteStrategy = "FAILOVER"
	RouteBusyover          RouteStrategy = "BUSYOVER"
	RouteShardingBroadcast RouteStrategy = "SHARDING_BROADCAST"
)

// Values lists all route strategies.
func (RouteStrategy) Values() []RouteStrategy {
	return []RouteStrategy{
		RouteFirst, RouteLast, RouteRound, RouteRandom, RouteConsistentHash,
		RouteLFU, RouteLRU, RouteFailover, RouteBusyover, RouteShardingBroadcast,
	}
}

// A BlockStrategy determines what an executor does with a run while another run of the same job is
// in progress.
type BlockStrategy string

const (
	BlockSerial       BlockStrategy = "SERIAL_EXECUTION"
	BlockDiscardLater BlockStrategy = "DISCARD_LATER"
	BlockCoverEarly   BlockStrategy = "COVER_EARLY"
)

// Values lists all block strategies.
func (BlockStrategy) Values() []BlockStrategy {
	return []BlockStrategy{BlockSerial, BlockDiscardLater, BlockCoverEarly}
}

// A GlueType determines where a job's code is: in the executor (BEAN) or in the job's own source
// text.
type GlueType string

const (
	GlueBean       GlueType = "BEAN"
	GlueGroovy     GlueType = "GLUE_GROOVY"
	GlueShell      GlueType = "GLUE_SHELL"
	GluePython     GlueType = "GLUE_PYTHON"
	GluePython2    GlueType = "GLUE_PYTHON2"
	GlueNodejs     GlueType = "GLUE_NODEJS"
	GluePowershell GlueType = "GLUE_POWERSHELL"
	GluePHP        GlueType = "GLUE_PHP"
)

// Values lists all glue types.
func (GlueType) Values() []GlueType {
	return []GlueType{GlueBean, GlueGroovy, GlueShell, GluePython, GluePython2, GlueNodejs, GluePowershell, GluePHP}
}

// A TriggerType is the cause of a trigger.
type TriggerType string

const (
	TriggerCron    TriggerType = "CRON"    // a due time of any schedule type
	TriggerMisfire TriggerType = "MISFIRE" // due times that were missed, by the job's misfire strategy
	TriggerManual  TriggerType = "MANUAL"  // an operator
	TriggerParent  TriggerType = "PARENT"  // the success of a parent job
	TriggerRetry   TriggerType = "RETRY"   // a failed run with retries left
	TriggerAPI     TriggerType = "API"     // a program
	// TriggerBackfill is a past due time of a [Backfill].
	TriggerBackfill TriggerType = "BACKFILL"
)

// Values lists all trigger types.
func (TriggerType) Values() []TriggerType {
	return []TriggerType{
		TriggerCron, TriggerMisfire, TriggerManual, TriggerParent, TriggerRetry, TriggerAPI, TriggerBackfill,
	}
}

// Validate refuses a trigger type that does not exist; the empty one means any.
func (t TriggerType) Validate() error { return checkOneOfOrEmpty("triggerType", t) }

// Scheduled reports whether triggers of this type come from the job's own schedule. Planned fires
// of such a type are dropped when the job is stopped or rescheduled.
func (t TriggerType) Scheduled() bool { return t == TriggerCron || t == TriggerMisfire }

// The result codes in log rows and on the wire.
const (
	ResultNone    = 0   // not known yet
	ResultOK      = 200 // accepted, or succeeded
	ResultFail    = 500 // refused, or failed
	ResultTimeout = 502 // ended by executor_timeout
	ResultUnknown = 504 // only for triggers: it is unknown whether the request arrived, and it is not sent again
)

// ResultName returns a word for a result code, for people.
func ResultName(code int) string {
	switch code {
	case ResultNone:
		return "open"
	case ResultOK:
		return "ok"
	case ResultFail:
		return "fail"
	case ResultTimeout:
		return "timeout"
	case ResultUnknown:
		return "unknown"
	}
	return fmt.Sprintf("code %d", code)
}
