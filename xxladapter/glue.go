package xxladapter

import (
	"context"
	"time"
)

// A GlueVersion is a source that a job has or had: one row of xxl_job_logglue.
type GlueVersion struct {
	ID     int64
	JobID  int64
	Type   GlueType
	Source string
	Remark string
	Added  time.Time // in whole seconds
}

// MaxGlueVersions is the number of versions of a job's source that a store keeps, the newest ones.
// Upstream keeps the same number.
const MaxGlueVersions = 30

// A GlueStore is the part of [Store] that keeps the versions of jobs' sources, which
// [JobStore.UpdateJob] writes.
type GlueStore interface {
	// GlueVersions lists the versions of a job's source, newest first. A job whose source was never
	// changed has none; the first change also stores the source that it replaces.
	GlueVersions(ctx context.Context, jobID int64) ([]*GlueVersion, error)
}
