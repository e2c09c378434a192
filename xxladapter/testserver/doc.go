// Package testserver gives tests real database servers. A test uses the server
// that an environment variable names, or one that is started from the machine's
// own program, once in a test binary; without either it is skipped and says
// what is missing, or fails when XXLWHEEL_REQUIRE_SERVERS is 1.
//
// A [Proxy] is a network in front of a server that a test may break.
//
// The environment also says which tests run at all: see [Long], [Soak] and [Java].
//
// A package that uses it calls [Main] in its TestMain, so that what was started
// is stopped. A test binary that is killed leaves no server behind either.
package testserver
