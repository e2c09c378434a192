package telemetry

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	bridge "go.opentelemetry.io/contrib/bridges/prometheus"
	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// Options configure [Start]. Endpoint must be set.
type Options struct {
	// Endpoint is the base URL of the collector, for example http://127.0.0.1:4318. Traces, metrics
	// and logs go to /v1/traces, /v1/metrics and /v1/logs below it.
	Endpoint string
	// Service is the service's name, unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES has one.
	// Version is that of the program, and Instance tells processes of the service apart. An empty
	// Version or Instance is left out; an empty Service is sent as an empty name.
	Service, Version, Instance string
	// Sample is the share of runs that are traced, from 0 to 1. Each node decides by the trace id,
	// so nodes with the same share agree about a run. 0 traces none.
	Sample float64
	// Metrics are sent every minute, or as OTEL_METRIC_EXPORT_INTERVAL says. Start registers a
	// metric of its own there, so a second Start with the same registry panics. Nil sends none.
	Metrics Registry
	// Parent finds the run that a retry or a child job's run follows, for the link to it. Nil links
	// none. It is asked only for runs that are traced, on a goroutine of its own; runs whose
	// parents it has not found in time have no link.
	Parent func(ctx context.Context, logID int64) (*xxladapter.Log, error)
	// Logger gets the failures to send, at most one line a minute. It must not send to the
	// collector. Nil means slog.Default().
	Logger *slog.Logger
}

// A Registry has metrics, and takes those of this package. *prometheus.Registry is one.
type Registry interface {
	prometheus.Registerer
	prometheus.Gatherer
}

// Telemetry sends the traces, metrics and logs of a process. Create it with [Start], and end it
// with [Telemetry.Stop]. Its methods may be called from any goroutine, even on nil, which sends
// nothing.
type Telemetry struct {
	opts    Options
	tracer  trace.Tracer
	traces  *sdktrace.TracerProvider
	logs    *sdklog.LoggerProvider
	metrics *sdkmetric.MeterProvider // nil without metrics
	sampler sdktrace.Sampler
	parents *parents
}

// CheckEndpoint returns an error for a text that is not the base URL of a collector.
func CheckEndpoint(endpoint string) error {
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.RawQuery != "" ||
		u.Fragment != "" || u.User != nil {
		return fmt.Errorf(
			"must be an http or https URL such as http://127.0.0.1:4318, without user, query and fragment",
		)
	}
	return nil
}

// Start begins to send. It does not wait for the collector, which may be away. OpenTelemetry's
// variables about headers, certificates, time limits, queues, intervals and resources apply
// (OTEL_EXPORTER_OTLP_HEADERS, OTEL_BSP_MAX_QUEUE_SIZE, OTEL_RESOURCE_ATTRIBUTES and so on). The
// error names the option or the variable that is wrong. Start replaces the error handler of
// OpenTelemetry for the whole process.
func Start(ctx context.Context, opts Options) (*Telemetry, error) {
	if err := CheckEndpoint(opts.Endpoint); err != nil {
		return nil, fmt.Errorf("telemetry: Options.Endpoint is %q, %w", opts.Endpoint, err)
	}
	if !(opts.Sample >= 0 && opts.Sample <= 1) {
		return nil, fmt.Errorf("telemetry: Options.Sample is %v, must be from 0 to 1", opts.Sample)
	}
	if opts.Logger == nil {
		opts.Logger = slog.Default()
	}
	otel.SetErrorHandler(&complaints{logger: opts.Logger})
	about, err := resourceOf(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	at := strings.TrimSuffix(opts.Endpoint, "/")
	spans, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(at+"/v1/traces"))
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	records, err := otlploghttp.New(ctx, otlploghttp.WithEndpointURL(at+"/v1/logs"))
	if err != nil {
		return nil, fmt.Errorf("telemetry: %w", err)
	}
	sampler := sdktrace.TraceIDRatioBased(opts.Sample)
	counts := countSpans(opts.Metrics)
	queue := sdktrace.NewBatchSpanProcessor(countedExporter{spans, counts})
	t := &Telemetry{
		opts: opts, sampler: sampler,
		traces: sdktrace.NewTracerProvider(sdktrace.WithResource(about), sdktrace.WithIDGenerator(generator{}),
			sdktrace.WithSampler(sdktrace.ParentBased(sampler)),
			sdktrace.WithSpanProcessor(countedProcessor{queue, counts})),
		logs: sdklog.NewLoggerProvider(
			sdklog.WithResource(about), sdklog.WithProcessor(sdklog.NewBatchProcessor(records)),
		),
	}
	t.tracer = t.traces.Tracer(scope)
	t.parents = findParents(t.opts.Parent)
	if opts.Metrics == nil {
		return t, nil
	}
	figures, err := otlpmetrichttp.New(ctx, otlpmetrichttp.WithEndpointURL(at+"/v1/metrics"))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("telemetry: %w", err), t.Stop(ctx))
	}
	t.metrics = sdkmetric.NewMeterProvider(sdkmetric.WithResource(about), sdkmetric.WithReader(
		sdkmetric.NewPeriodicReader(
			figures, sdkmetric.WithProducer(bridge.NewMetricProducer(bridge.WithGatherer(opts.Metrics))),
		)))
	return t, nil
}

// scope names the instrumentation.
const scope = "github.com/xxlwheel/xxlwheel/xxladapter/telemetry"

// resourceOf returns the attributes that describe the process in all that is sent. Environment
// variables take precedence.
func resourceOf(ctx context.Context, opts Options) (*resource.Resource, error) {
	about := []attribute.KeyValue{attribute.String("service.name", opts.Service)}
	for key, value := range map[string]string{"service.version": opts.Version, "service.instance.id": opts.Instance} {
		if value != "" {
			about = append(about, attribute.String(key, value))
		}
	}
	return resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(about...), resource.WithFromEnv())
}

// Stop sends what is left, until ctx ends at the latest, and then ends.
func (t *Telemetry) Stop(ctx context.Context) error {
	if t == nil {
		return nil
	}
	t.parents.stop(ctx)
	err := errors.Join(t.traces.Shutdown(ctx), t.logs.Shutdown(ctx))
	if t.metrics != nil {
		err = errors.Join(err, t.metrics.Shutdown(ctx))
	}
	if err != nil {
		return fmt.Errorf("telemetry: %w", err)
	}
	return nil
}
