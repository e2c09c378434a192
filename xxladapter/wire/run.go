package wire

// A RunRequest starts a run: POST [PathRun], or [PathTrigger] for G4.
// Success means that it was accepted into the job's queue.
type RunRequest struct {
	JobID         Int    `json:"jobId"`
	Handler       string `json:"executorHandler,omitempty"`
	Params        string `json:"executorParams"` // plural, unlike in the job
	BlockStrategy string `json:"executorBlockStrategy,omitempty"`
	Timeout       Int    `json:"executorTimeout"` // seconds; 0: none
	LogID         Int    `json:"logId"`
	// LogTime is the trigger time in epoch milliseconds and selects the day of
	// the run's log file. Spelled with a final e here in every generation.
	LogTime        Int    `json:"logDateTime"`
	GlueType       string `json:"glueType"`
	GlueSource     string `json:"glueSource"`
	GlueUpdated    Int    `json:"glueUpdatetime"` // epoch milliseconds; the source's version
	BroadcastIndex Int    `json:"broadcastIndex"`
	BroadcastTotal Int    `json:"broadcastTotal"`
	// ScheduledTime is the due time in epoch milliseconds. Upstream has no such
	// field and its executors ignore it; 0 when the sender is one of those.
	ScheduledTime Int `json:"scheduledTime,omitempty"`
}

// An IdleBeatRequest asks whether a job neither runs nor waits: POST [PathIdleBeat].
type IdleBeatRequest struct {
	JobID Int `json:"jobId"`
}

// A KillRequest ends what runs and what waits of a job: POST [PathKill].
type KillRequest struct {
	JobID Int `json:"jobId"`
}
