package dropintest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A run is the result of one run of a suite.
type run struct {
	results map[string]string // "pass", "fail" or "skip" by test and subtest
	ok      bool              // go test ended without an error
	output  string            // of the package and of what failed
	took    time.Duration
}

// run runs the suite in dir: the tests with the given names or, if names is nil, those of the short
// or the long form.
func (s suite) run(t *testing.T, dir string, names []string) run {
	t.Helper()
	within, args := longWithin, []string{"test", "-mod=mod", "-json", "-count=1"}
	if !long {
		within = s.within
		args = append(args, s.short...)
	}
	if names != nil {
		args = append(args, "-run="+exactly(names), "-skip=^$", "-count="+strconv.Itoa(repetitions))
	}
	args = append(args, "-timeout="+within.String(), "./"+s.pkg)
	ctx, cancel := context.WithTimeout(t.Context(), within+time.Minute) // with the build
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	// The workspace and the flags of this test's caller must not reach the suite.
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	begin := time.Now()
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		require.NoError(t, err)
	}
	r := run{results: make(map[string]string), ok: err == nil, took: time.Since(begin).Round(100 * time.Millisecond)}
	r.read(t, &out)
	r.output += problems.String()
	return r
}

// read reads the events that go test prints.
func (r *run) read(t *testing.T, in io.Reader) {
	t.Helper()
	texts := make(map[string]*strings.Builder)
	begun := make(map[string]int)
	for d := json.NewDecoder(in); ; {
		var event struct{ Action, Test, Output string }
		err := d.Decode(&event)
		if err == io.EOF {
			break
		}
		require.NoError(t, err)
		if texts[event.Test] == nil {
			texts[event.Test] = new(strings.Builder)
		}
		switch event.Action {
		case "output", "build-output":
			texts[event.Test].WriteString(event.Output)
		case "run":
			begun[event.Test]++
		case "pass", "fail", "skip":
			begun[event.Test]--
			if r.results[event.Test] != "fail" { // in an earlier repetition
				r.results[event.Test] = event.Action
			}
		}
	}
	delete(r.results, "") // the package
	for name, n := range begun {
		if n > 0 {
			r.results[name] = "fail" // it has not ended
		}
	}
	for name, text := range texts {
		if name == "" || r.results[name] == "fail" {
			r.output += text.String()
		}
	}
}

func (r run) count(result string) (n int) {
	for _, is := range r.results {
		if is == result {
			n++
		}
	}
	return n
}

// failed returns the names of the tests that failed, in order. It leaves out a test whose subtest
// failed.
func (r run) failed() (names []string) {
	all := slices.Sorted(maps.Keys(r.results))
	for i, name := range all {
		if r.results[name] != "fail" {
			continue
		}
		if !slices.ContainsFunc(all[i+1:], func(sub string) bool {
			return strings.HasPrefix(sub, name+"/") && r.results[sub] == "fail"
		}) {
			names = append(names, name)
		}
	}
	return names
}

// exactly returns a pattern for go test that matches the named tests and subtests only.
func exactly(names []string) string {
	var patterns []string
	for _, name := range names {
		elements := strings.Split(name, "/")
		for i, element := range elements {
			elements[i] = "^" + regexp.QuoteMeta(element) + "$"
		}
		patterns = append(patterns, strings.Join(elements, "/"))
	}
	return strings.Join(patterns, "|")
}
