package database

import (
	"log/slog"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/network"
)

// Options are the options of package sqlstore, which documents the fields.
type Options struct {
	Logger      *slog.Logger
	Clock       func() time.Time
	Connections int
	LockLife    time.Duration
	Zone        *time.Location
}

// WithDefaults sets the defaults that all databases share.
func (o Options) WithDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.LockLife == 0 {
		o.LockLife = network.LockLife
	}
	return o
}

// ReportZone returns the zone in which the days of reports begin.
func (o Options) ReportZone() *time.Location {
	if o.Zone == nil {
		return time.UTC
	}
	return o.Zone
}
