// Package access decides who may do what: which token permits which calls ([Operators] and
// [Executors]), and which addresses the scheduler may be told to call ([Addresses]).
//
// Everything that is not known to be allowed is refused. Tokens are compared in constant time, and
// configured tokens are compared by their digests. Texts for people show no secret ([Conceal],
// [Shown]).
package access
