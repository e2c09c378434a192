package main

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
)

// telemetryFlags configure what is sent to a collector of OpenTelemetry.
type telemetryFlags struct {
	Endpoint string  `placeholder:"URL" help:"Collector of OpenTelemetry to send traces, metrics and logs to by OTLP over HTTP, for example http://127.0.0.1:4318 (default: none). The standard OTEL_ variables about headers, limits and resources apply."`
	Sample   float64 `default:"1" placeholder:"SHARE" help:"Share of runs that are traced, from 0 to 1 (default ${default})."`
}

// check refuses what cannot be used.
func (f *telemetryFlags) check() error {
	if f.Endpoint != "" {
		if err := telemetry.CheckEndpoint(f.Endpoint); err != nil {
			return usagef("--otlp-endpoint is %q, %v", f.Endpoint, err)
		}
	}
	if !(f.Sample >= 0 && f.Sample <= 1) {
		return usagef("--otlp-sample is %v, must be from 0 to 1", f.Sample)
	}
	return nil
}

// start begins to send, unless there is no endpoint: then it returns nil, which sends nothing.
func (f *telemetryFlags) start(ctx context.Context, opts telemetry.Options) (*telemetry.Telemetry, error) {
	if f.Endpoint == "" {
		return nil, nil
	}
	opts.Endpoint, opts.Sample = f.Endpoint, f.Sample
	opts.Version, _ = buildOf(debug.ReadBuildInfo())
	return telemetry.Start(ctx, opts)
}

// telemetryGrace is the time in which the rest is sent when a process ends.
const telemetryGrace = 3 * time.Second

// stopTelemetry sends the rest. What cannot be sent is logged, and is no failure of the process.
func stopTelemetry(ctx context.Context, t *telemetry.Telemetry, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryGrace)
	defer cancel()
	if err := t.Stop(ctx); err != nil {
		logger.Warn("the rest of the telemetry is not sent", "err", err)
	}
}
