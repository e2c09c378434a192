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

// MaxGlueVersions is how many versions of a job's source a store keeps, the
// newest ones; upstream keeps as many.
const MaxGlueVersions = 30

// A GlueStore is the part of [Store] that keeps the versions of jobs' sources,
// which [JobStore.UpdateJob] writes.
type GlueStore interface {
	// GlueVersions lists the versions of a job's source, newest first. A job whose
	// source was never changed has none; the first change stores the source
	// before it as well.
	GlueVersions(ctx context.Context, jobID int64) ([]*GlueVersion, error)
}
