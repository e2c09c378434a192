// Package access says who may do what: which token opens which calls
// ([Operators] and [Executors]), and which addresses the scheduler may be told
// to call ([Addresses]).
//
// Whatever is not known to be allowed is refused. Tokens are compared in
// constant time, and what is kept of those that are configured is a digest. Texts
// for people show no secret ([Conceal], [Shown]).
package access
