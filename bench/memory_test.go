package bench_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/bench/cases"
)

func BenchmarkMemory(b *testing.B) { run(b, cases.Memory) }
