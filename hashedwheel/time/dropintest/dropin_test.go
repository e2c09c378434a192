package dropintest

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	ours       = "github.com/xxlwheel/xxlwheel/hashedwheel/time"
	ourModule  = "github.com/xxlwheel/xxlwheel"
	longWithin = 20 * time.Minute // limit of one run in the long form

	// repetitions of each test that has failed.
	repetitions = 3
)

// long means that all tests of each package are run.
var long = os.Getenv("XXLWHEEL_TEST_SOAK") == "1"

func TestSuites(t *testing.T) {
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) { s.test(t) })
	}
}

// test runs the suite on the wheel. A test that fails there, other than those in known, is
// repeated, also in an unchanged copy. It may fail on the wheel if it also fails without the wheel,
// or once if it passes each repetition.
func (s suite) test(t *testing.T) {
	source := s.download(t)
	changed := s.copy(t, source)
	files, uses := s.changeImports(t, changed)
	require.NotZero(t, uses, "no timer to replace")
	t.Logf("%d files import %s; they use timers in %d places", files, ours, uses)
	command(t, changed, "go", "mod", "edit", "-require="+ourModule+"@v0.0.0", "-replace="+ourModule+"="+root(t))
	if s.ignore != "" {
		require.NoError(t, os.WriteFile(filepath.Join(changed, s.pkg, "wheel_test.go"), []byte(s.ignore), 0o644))
	}

	first := s.run(t, changed, nil)
	t.Logf("%d tests and subtests passed, %d were skipped, %d failed, in %v",
		first.count("pass"), first.count("skip"), first.count("fail"), first.took)
	require.Positive(t, first.count("pass"), "no test passed:\n%s", first.output)
	failed := first.failed()
	if len(failed) == 0 && !first.ok {
		require.NotEmpty(t, s.complaint, "no test failed, but go test did:\n%s", first.output)
		require.Contains(t, first.output, s.complaint)
		require.Contains(t, first.output, "hashedwheel.(*worker).work", "the goroutine too many is the wheel's")
	}
	failed = slices.DeleteFunc(failed, func(name string) bool {
		reason, known := s.known[name]
		if known {
			t.Logf("%s failed: %s", name, reason)
		}
		return known
	})
	if len(failed) == 0 {
		return
	}
	without, with := s.run(t, s.copy(t, source), failed), s.run(t, changed, failed)
	for _, name := range failed {
		switch {
		case without.results[name] != "pass":
			t.Logf("%s fails without the wheel too", name)
		case with.results[name] == "pass":
			t.Logf("%s failed once, and then passed %d times", name, repetitions)
		default:
			t.Errorf("%s fails on the wheel and passes without:\n%s", name, with.output)
		}
	}
}
