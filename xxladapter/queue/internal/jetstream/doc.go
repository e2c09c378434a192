// Package jetstream implements a broker with the JetStream of NATS.
//
//	subject                              kind
//	xw.<namespace>.run.<app>.any         runs for any executor of the app; stored
//	xw.<namespace>.run.<app>.at.<name>   runs for one executor; stored
//	xw.<namespace>.call.<app>.<name>.*   calls to one executor, such as beat, kill and ended
//	xw.<namespace>.up.*.<app>            calls to any scheduler, such as registry and callback
//	xw.<namespace>.reply.app.<app>.>     replies to executors
//	xw.<namespace>.reply.schedulers.>    replies to schedulers
//	xw.<namespace>.js.CONSUMER.>         requests to JetStream by executors with other accounts
//
// The runs of an app are kept on disk, in a work-queue stream of their own, until an executor
// acknowledges them. Schedulers create streams and consumers, so that an executor needs no rights
// beyond those of its app. Calls are requests with replies, and are not stored.
package jetstream
