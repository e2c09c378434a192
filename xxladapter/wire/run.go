package wire

// A RunRequest starts a run: POST [PathRun], or [PathTrigger] for G4. Success means that it was
// accepted into the job's queue.
type RunRequest struct {
	JobID         Int    `json:"jobId"`
	Handler       string `json:"executorHandler,omitempty"`
	Params        string `json:"executorParams"` // plural, unlike the job's field
	BlockStrategy string `json:"executorBlockStrategy,omitempty"`
	Timeout       Int    `json:"executorTimeout"` // seconds; 0 means no limit
	LogID         Int    `json:"logId"`
	// LogTime is the trigger time in epoch milliseconds; it selects the day of the run's log file.
	// Every generation spells it with a final e here.
	LogTime        Int    `json:"logDateTime"`
	GlueType       string `json:"glueType"`
	GlueSource     string `json:"glueSource"`
	GlueUpdated    Int    `json:"glueUpdatetime"` // epoch milliseconds; the source's version
	BroadcastIndex Int    `json:"broadcastIndex"`
	BroadcastTotal Int    `json:"broadcastTotal"`
	// ScheduledTime is the due time in epoch milliseconds. Upstream has no such field and its
	// executors ignore it; 0 means that the sender is an upstream admin.
	ScheduledTime Int `json:"scheduledTime,omitempty"`
	// TraceParent is the W3C trace context of the run. A single run also has it in the header
	// traceparent. Empty means that the run is not traced.
	TraceParent string `json:"traceparent,omitempty"`
}

// An IdleBeatRequest asks an executor whether a job neither runs nor waits there: POST
// [PathIdleBeat].
type IdleBeatRequest struct {
	JobID Int `json:"jobId"`
}

// A KillRequest ends the running and the waiting runs of a job: POST [PathKill].
type KillRequest struct {
	JobID Int `json:"jobId"`
}
