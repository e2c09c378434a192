package errorrule

// Nodes and their leases.
var (
	// node {value} holds no lease
	NoLease = Rule{"no_lease", "value term"}
	// this node holds no lease
	NodeNoLease = Rule{"no_lease", ""}
	// no other node can plan jobs, one must
	LastNode = Rule{"last_node", ""}
	// node {node} runs, the zone of a store can be changed only while no node runs
	NodeRuns = Rule{"node_runs", "node"}
	// scheduler {node} holds a lease on one of the stores, must be stopped, and its lease must
	// expire
	SchedulerWorks = Rule{"scheduler_works", "node"}
	// the target has rows in {table}, must be empty
	TargetNotEmpty = Rule{"target_not_empty", "table"}
	// fires are being handed over, which needs the history: copy it, or let a scheduler finish them
	FiresClaimed = Rule{"fires_claimed", ""}
	// this node is stopping, listen on another one
	Stopping = Rule{"stopping", ""}
	// this server calls no executors, another one of the store must be asked
	NoExecutorCalls = Rule{"no_executor_calls", ""}
	// this scheduler has no queue, must be started with one (xxlwheel serve --queue)
	NoQueue = Rule{"no_queue", ""}
	// no database of XXL-JOB is named, must be named when the scheduler is started (xxlwheel serve
	// --takeover-from)
	NoTakeover = Rule{"no_takeover", ""}
	// executor {address}: {reason}
	ExecutorFailed = Rule{"executor_failed", "address reason"}
	// differs by {difference} from the store's, must be within the limit
	ClockApart = Rule{"clock_apart", "difference"}
	// this node does not stand by, it takes no fires
	TakesNoFires = Rule{"takes_no_fires", "mode"}
	// fires are for node {node} in term {term}, this is node {own} in term {ownTerm}
	OtherTerm = Rule{"other_term", "node term own ownTerm"}
	// node {node} acts in term {term}, which is over
	TermOver = Rule{"term_over", "node term"}
	// fire {fire} is no longer planned
	FireClaimed = Rule{"fire_claimed", "fire"}
	// fire {fire} is not owned by node {node} in term {term}
	FireOwner = Rule{"fire_owner", "fire node term"}
	// job {job} cannot continue from {value}, which may have fired
	MayHaveFired = Rule{"may_have_fired", "job value"}
	// {field} is {value}, must be {agreed} as the store's schedulers have agreed; xxlwheel migrate
	// --zone changes it while none of them runs
	ZoneAgreed = Rule{"zone_agreed", "field value agreed"}
	// the database file was removed or replaced while it was open
	FileGone = Rule{"file_gone", ""}
)
