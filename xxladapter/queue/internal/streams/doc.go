// Package streams implements a broker with the streams of Redis 6.2 or later. Rights per app need
// the selectors of Redis 7.
//
//	key                                     kind
//	xw:<namespace>:run:<app>:any            stream: runs for any executor of the app
//	xw:<namespace>:run:<app>:at:<name>      stream: runs for one executor
//	xw:<namespace>:seen:<app>:<key>         position of a run that was published under a key
//	xw:<namespace>:queues                   set of the streams
//	xw:<namespace>:limits                   hash: app -> how many runs of one address may wait
//	xw:<namespace>:up:<app>:<id>            a call to the schedulers, until one of them takes it
//
//	channel
//	xw:<namespace>:up:<app>                 ids of calls to the schedulers
//	xw:<namespace>:call:<app>:<name>        calls to one executor
//	xw:<namespace>:reply:app:<app>:<any>    replies to an executor
//	xw:<namespace>:reply:schedulers:<any>   replies to a scheduler
//
// Each stream has one consumer group. A run that is done is acknowledged and deleted in one
// transaction. A run that was delivered and stays unacknowledged for [delivery.AckWait] is claimed
// by whichever executor looks first.
//
// Schedulers create streams and groups, and only they run scripts, so that the user of an executor
// needs few commands, and only the keys and channels of its app. A stream expires if, for
// [broker.IdleLife], nothing is published to it and no executor asks a scheduler to prepare it.
// When an executor misses it, a scheduler creates it again.
package streams
