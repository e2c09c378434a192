// Package queuetest runs schedulers, executors and a broker as processes, kills them, and counts
// which runs began. It is a module of its own, so that nats-server reaches no user.
package queuetest
