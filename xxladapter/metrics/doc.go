// Package metrics exports the figures of a scheduler node to Prometheus. They come from events that
// other packages report ([Metrics.Event] and its neighbours), from a store that times its calls
// ([Metrics.Store]), and from sources that are read on each scrape ([Metrics.Watch]). No metric has
// a label for jobs, addresses of executors or runs, because their number is unbounded.
package metrics
