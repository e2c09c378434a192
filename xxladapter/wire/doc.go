// Package wire is the XXL-JOB protocol: every path, header, field and code that schedulers
// ("admins") and executors exchange as JSON over HTTP.
//
// The protocol changed in small steps, which are called generations here:
//
//	G1  2.2.0 to 3.1.1   POST /run, replies carry "content", callbacks are a bare list
//	G2  3.2.0            the same, successful replies carry a msg
//	G3  3.3.0 to 3.4.2   replies carry "data" instead of "content"
//	G4  3.5 (unreleased) POST /trigger, callbacks in an object, two headers required
//
// Traffic of 2.4.2, 3.2.0, 3.3.2 and 3.4.2 is recorded in testdata, in both directions.
//
// Six operations are this project's own. XXL-JOB ignores them and answers with code 500 and
// [NotFound], for example "invalid request, uri-mapping(feed) not found.":
//
//	            from       to         sent only if                     asks or says
//	[PathRuns]  scheduler  executor   its replies have [HeaderBatch]   begin these runs, at most [MaxBatch]
//	[PathEnded] scheduler  executor   it has runs without a result     which of these runs have ended?
//	[PathTaken] scheduler  executor   its store may have lost accepts  have you ever taken these runs?
//	[OpFeed]    executor   scheduler  it has a queue and no port       prepare what I take my runs from
//	[OpAccept]  executor   scheduler  it has taken runs from a queue   may I begin these runs?
//	[OpDeclare] executor   scheduler  its program declares jobs        have these jobs in my group
//
// Decoding is lenient: it accepts the spellings of all generations, and numbers as Java's Gson
// does. Encoding is exact: a peer of any generation can read what is sent; see [Reply] and
// [LogRequest].
package wire
