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
// Four operations are not XXL-JOB's, which answers that they are not found. Executors of this project
// alone use them:
//
//	[PathRuns]   a scheduler sends a batch of runs
//	[OpFeed]     an executor asks for what it takes its runs from
//	[OpAccept]   an executor asks whether it may begin runs
//	[OpDeclare]  an executor declares the jobs of its app
//
// Decoding is lenient: it accepts the spellings of all generations, and numbers as Java's Gson
// does. Encoding is exact: a peer of any generation can read what is sent; see [Reply] and
// [LogRequest].
package wire
