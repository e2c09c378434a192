package wire

// A RunID names a run in a request to [PathEnded] or [PathTaken].
type RunID struct {
	LogID   Int `json:"logId"`
	JobID   Int `json:"jobId"`
	LogTime Int `json:"logDateTime"` // the [RunRequest.LogTime] of the run
}
