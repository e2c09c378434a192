package daemon

import (
	"context"
	"log/slog"
	"runtime/debug"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
)

// TelemetryFlags configure what is sent to a collector of OpenTelemetry.
type TelemetryFlags struct {
	Endpoint string  `placeholder:"URL" help:"Collector of OpenTelemetry to send traces and logs to, and metrics of serve, by OTLP over HTTP, for example http://127.0.0.1:4318 (default: none). The standard OTEL_ variables about headers, limits and resources apply."`
	Sample   float64 `default:"1" placeholder:"SHARE" help:"Share of runs that are traced, from 0 to 1 (default ${default})."`
}

// Check refuses what cannot be used.
func (f *TelemetryFlags) Check() error {
	if f.Endpoint != "" {
		if err := telemetry.CheckEndpoint(f.Endpoint); err != nil {
			return command.Usagef("--otlp-endpoint is %q, %v", f.Endpoint, err)
		}
	}
	if !(f.Sample >= 0 && f.Sample <= 1) {
		return command.Usagef("--otlp-sample is %v, must be from 0 to 1", f.Sample)
	}
	return nil
}

// Start begins to send, unless there is no endpoint: then it returns nil, which sends nothing.
func (f *TelemetryFlags) Start(ctx context.Context, opts telemetry.Options) (*telemetry.Telemetry, error) {
	if f.Endpoint == "" {
		return nil, nil
	}
	opts.Endpoint, opts.Sample = f.Endpoint, f.Sample
	opts.Version, _ = command.Build(debug.ReadBuildInfo())
	return telemetry.Start(ctx, opts)
}

// telemetryGrace limits the time to send what is left when a process ends.
const telemetryGrace = 3 * time.Second

// StopTelemetry sends the telemetry that is left. What cannot be sent is logged, and is no failure
// of the process.
func StopTelemetry(ctx context.Context, t *telemetry.Telemetry, logger *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), telemetryGrace)
	defer cancel()
	if err := t.Stop(ctx); err != nil {
		logger.Warn("the rest of the telemetry is not sent", "err", err)
	}
}
