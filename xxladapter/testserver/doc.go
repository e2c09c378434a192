// Package testserver gives tests real database servers. A test uses the server that an environment
// variable names, or one that is started from a program on this machine, once per test binary.
// Without either the test is skipped and says what is missing, or it fails if
// XXLWHEEL_REQUIRE_SERVERS is 1.
//
// A [Proxy] is a network in front of a server that a test may break. [Pipes] are a network in
// memory, for tests in synctest bubbles.
//
// [Eventually] waits for what other processes do.
//
// The environment also says which tests run at all: see [Long], [Count], [Soak] and [Java].
//
// A package whose tests use servers calls [Main] in its TestMain, which stops them. A test
// binary that is killed leaves no server behind either.
package testserver
