// Package metrics shows what a scheduler node does, for Prometheus. It is fed
// by what others report anyway: events, a store that times its calls
// ([Metrics.Store]), and numbers that are read when somebody asks
// ([Metrics.Watch]). No metric has a label for jobs, addresses or runs: their
// number has no bound.
package metrics
