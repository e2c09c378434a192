package testserver

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"
)

// The environment chooses which tests run. These variables, and the flag -short (see [Short]),
// decide what the tests need and how long they may take; CONTRIBUTING.md lists them. mysqlEnv,
// postgresEnv and redisEnv name servers to use in place of new ones.
const (
	// requireEnv set to 1 makes a missing server or download an error instead of a skip.
	requireEnv = "XXLWHEEL_REQUIRE_SERVERS"

	// longEnv set to 1 also runs tests that take long by nature, because they wait for leases to
	// lapse in real time or go through many faults.
	longEnv = "XXLWHEEL_TEST_LONG"

	// soakEnv set to 1 gives tests that repeat something hours instead of seconds, and a machine
	// of their own: they judge lateness strictly. It includes longEnv.
	soakEnv = "XXLWHEEL_TEST_SOAK"

	// javaEnv set to 1 also runs the tests that start XXL-JOB's Java programs.
	javaEnv = "XXLWHEEL_TEST_JAVA"

	// javaAdminEnv names the jar of a Java admin, which no repository of artefacts has, for the
	// tests that start one.
	javaAdminEnv = "XXLWHEEL_TEST_JAVA_ADMIN"

	// pythonEnv set to 1 also runs the test that fetches a Python library.
	pythonEnv = "XXLWHEEL_TEST_PYTHON"
)

// Long skips a test that takes long by nature, unless the environment asks for long tests.
func Long(t testing.TB) {
	t.Helper()
	if !IsLong() {
		t.Skipf("takes long; set %s=1 to run it", longEnv)
	}
}

// IsLong reports whether the environment asks for long tests.
func IsLong() bool { return os.Getenv(longEnv) == "1" || Soak() }

// Count returns few, or many if the environment asks for long tests.
func Count(few, many int) int {
	if IsLong() {
		return many
	}
	return few
}

// Cases makes rapid try a property with few cases, or with many as [Count] does. It is called
// before the flags are parsed, so that -rapid.checks has precedence.
func Cases(few, many int) {
	if err := flag.Set("rapid.checks", strconv.Itoa(Count(few, many))); err != nil {
		panic(err) // the test binary does not contain rapid
	}
}

// Soak reports whether the environment asks for hours of tests on a machine of their own.
func Soak() bool { return os.Getenv(soakEnv) == "1" }

// Java skips a test that starts XXL-JOB's Java programs, unless the environment asks for it.
func Java(t testing.TB) {
	t.Helper()
	if os.Getenv(javaEnv) != "1" {
		t.Skipf("needs a JDK, Maven and its repository; set %s=1 to run it", javaEnv)
	}
	for _, program := range []string{"mvn", "javac", "java"} {
		if _, err := exec.LookPath(program); err != nil {
			Missing(t, program+" is not on PATH")
		}
	}
}

// JavaAdmin returns the jar of a Java admin that the environment names, and skips a test without
// one.
func JavaAdmin(t testing.TB) (jar string) {
	t.Helper()
	jar = os.Getenv(javaAdminEnv)
	if jar == "" {
		t.Skipf("needs the jar of a Java admin; set %s to its path", javaAdminEnv)
	}
	return jar
}

// Python skips a test that fetches a Python library, unless the environment asks for it.
func Python(t testing.TB) {
	t.Helper()
	if os.Getenv(pythonEnv) != "1" {
		t.Skipf("needs Python 3, its module venv and its package index; set %s=1 to run it", pythonEnv)
	}
	if _, err := exec.LookPath("python3"); err != nil {
		Missing(t, "python3 is not on PATH")
	}
}

// Short skips a test that starts servers or other programs, if the tests run with -short. It skips
// no benchmark, which -short makes small.
func Short(t testing.TB) {
	t.Helper()
	if _, test := t.(*testing.T); test && testing.Short() {
		t.Skip("starts other programs; run it without -short")
	}
}

// Missing skips a test that lacks a server, a program or a download; what says which. If the
// environment requires them, Missing fails the test instead.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv(requireEnv) == "1" {
		t.Fatalf("%s, and %s is 1", what, requireEnv)
	}
	t.Skip(what)
}

// A missingError says what a server needs and this machine lacks.
type missingError string

// Error returns the text of the error.
func (e missingError) Error() string { return string(e) }

// orMissing skips or fails the test, as [Missing] does, if err says what is missing, and fails it
// for any other error.
func orMissing(t testing.TB, err error) {
	t.Helper()
	if missing := missingError(""); errors.As(err, &missing) {
		Missing(t, err.Error())
	}
	if err != nil {
		t.Fatal(err)
	}
}
