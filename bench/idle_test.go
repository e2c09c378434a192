package bench_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/bench/cases"
)

func BenchmarkIdle(b *testing.B) { run(b, cases.Idle) }
