package telemetry_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	logs "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	metrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	traces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// A collector takes what is sent by OTLP, and fails the test on what it cannot read.
type collector struct {
	t *testing.T
	*httptest.Server

	mu      sync.Mutex // guards the fields below
	spans   []*tracepb.Span
	service map[string]bool // the names of services that have sent spans
	lines   []string        // bodies of log records
	metrics map[string]bool // by name
}

func newCollector(t *testing.T) *collector {
	c := &collector{t: t, service: map[string]bool{}, metrics: map[string]bool{}}
	c.Server = httptest.NewServer(http.HandlerFunc(c.take))
	t.Cleanup(c.Close)
	return c
}

func (c *collector) take(w http.ResponseWriter, r *http.Request) {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		zipped, err := gzip.NewReader(body)
		if !assert.NoError(c.t, err) {
			return
		}
		body = zipped
	}
	data, err := io.ReadAll(body)
	assert.NoError(c.t, err)
	assert.Equal(c.t, "application/x-protobuf", r.Header.Get("Content-Type"))
	read := func(into proto.Message) {
		assert.NoError(c.t, proto.UnmarshalOptions{DiscardUnknown: false}.Unmarshal(data, into))
		assert.Empty(c.t, into.ProtoReflect().GetUnknown())
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch r.URL.Path {
	case "/v1/traces":
		var m traces.ExportTraceServiceRequest
		read(&m)
		for _, rs := range m.ResourceSpans {
			c.service[text(rs.Resource.Attributes, "service.name")] = true
			for _, ss := range rs.ScopeSpans {
				c.spans = append(c.spans, ss.Spans...)
			}
		}
	case "/v1/logs":
		var m logs.ExportLogsServiceRequest
		read(&m)
		for _, rl := range m.ResourceLogs {
			for _, sl := range rl.ScopeLogs {
				for _, l := range sl.LogRecords {
					c.lines = append(c.lines, l.Body.GetStringValue())
				}
			}
		}
	case "/v1/metrics":
		var m metrics.ExportMetricsServiceRequest
		read(&m)
		for _, rm := range m.ResourceMetrics {
			for _, sm := range rm.ScopeMetrics {
				for _, f := range sm.Metrics {
					c.metrics[f.Name] = true
				}
			}
		}
	default:
		assert.Fail(c.t, "unknown path", r.URL.Path)
		w.WriteHeader(http.StatusNotFound)
	}
}

// text returns an attribute as a text; empty if it is missing.
func text(attributes []*common.KeyValue, key string) string {
	for _, a := range attributes {
		if a.Key == key {
			return a.Value.GetStringValue()
		}
	}
	return ""
}

// number returns an attribute as an integer; -1 if it is missing.
func number(attributes []*common.KeyValue, key string) int64 {
	for _, a := range attributes {
		if a.Key == key {
			return a.Value.GetIntValue()
		}
	}
	return -1
}

// named returns the spans with a name, in the order in which they came.
func (c *collector) named(name string) (found []*tracepb.Span) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		if s.Name == name {
			found = append(found, s)
		}
	}
	return found
}
