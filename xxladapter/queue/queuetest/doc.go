// Package queuetest runs schedulers, executors and a broker as processes, kills them, and counts
// which runs began. It is a module of its own, so that nats-server is in no user's module graph.
package queuetest
