// Package queue carries runs from schedulers to executors through a broker, and calls in both
// directions. An executor that uses it needs no open port.
//
// A run stays in the queue of its app, or of one executor, until an executor acknowledges it.
// Schedulers create what the broker keeps for an app and an executor, so that an executor needs no
// rights beyond those of its app. Calls are requests with replies, and are not kept. What a run is
// and who may begin it is not decided here: the store gives each run to the first executor that
// asks, so that a run that is delivered or published twice begins once.
//
// What executors see of a queue is in package delivery, so that an executor without a queue links
// no client of a broker. [At] returns the queue of an executor; [Connect] connects a scheduler.
//
// internal/broker has what every broker must do and the rules that hold for all of them;
// internal/jetstream is NATS with JetStream, and internal/streams is Redis with its streams.
package queue
