// Package telemetry sends traces, metrics and logs to a collector of OpenTelemetry, by OTLP over
// HTTP.
//
// A run has one trace, on whatever nodes its parts happen. Its ids are computed from the job, the
// log row and the trigger time, so every node knows them without storing or sending them:
//
//	fire NAME            from the due time until the executor has answered
//	├─ wait              until a scheduler claimed the fire
//	├─ send              the request and its answer
//	│  └─ run HANDLER    in an executor of this project, or what another one makes of traceparent
//	└─ result            when the result was stored
//
// A retry and a run of a child job have traces of their own, with a link to the run before.
//
// Spans are recorded after the fact, from the events of package trigger, so a node without
// telemetry does no work for them. Only [Telemetry.Stop] waits for the collector: spans that the
// collector does not take are dropped and counted.
package telemetry
