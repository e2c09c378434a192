package bench_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/bench/cases"
)

func BenchmarkLateness(b *testing.B) { run(b, cases.Lateness) }
