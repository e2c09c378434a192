// Package access authorizes callers: it decides what a caller may do in which group ([Rights]),
// which token permits which calls ([Operators] and [Executors]), and which addresses the scheduler
// may be told to call ([Addresses]). Package accounts authenticates users.
//
// Everything that is not known to be allowed is refused. Tokens are compared by their digests, in
// constant time. Texts for people show no secret ([Conceal], [Shown]).
package access
