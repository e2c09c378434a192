package serve

import (
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
)

// limits limit how much a scheduler does at the same time, and how long it waits.
type limits struct {
	FastPool   int `default:"200" placeholder:"COUNT" help:"How many runs are handed over concurrently (default ${default})."`
	SlowPool   int `default:"100" placeholder:"COUNT" help:"How many runs of jobs that were slow in the current minute are handed over concurrently, in addition to --fast-pool (default ${default})."`
	PoolPerApp int `placeholder:"COUNT" help:"How many runs of one executor app each of the two pools hands over concurrently (default: half of the pool)."`

	StoreConnections int           `placeholder:"COUNT" help:"How many connections to a database server are open at most (default: 4 for each processor, at least 16, on MySQL at least 20)."`
	StoreLockLife    time.Duration `default:"2s" placeholder:"TIME" help:"How long a stalled scheduler can keep rows of a database server locked, which stops all schedulers from planning; MySQL rounds down to whole seconds (default ${default})."`
	Drain            time.Duration `default:"10s" placeholder:"TIME" help:"How long a stopping scheduler waits for hand-overs in flight (default ${default}). A second signal ends it at once."`
	ClockSkew        time.Duration `default:"2s" placeholder:"TIME" help:"How far this machine's clock may differ from the store's before this scheduler stops planning; 0 disables the check (default ${default})."`
}

func (l *limits) check() error {
	for _, count := range []struct {
		flag               string
		value, least, most int
		zero               bool // 0 selects the default
	}{
		{"fast-pool", l.FastPool, 1, 10_000, false},
		{"slow-pool", l.SlowPool, 1, 10_000, false},
		{"pool-per-app", l.PoolPerApp, 1, 10_000, true},
		{"store-connections", l.StoreConnections, 14, 10_000, true},
	} {
		if count.zero && count.value == 0 {
			continue
		}
		if count.value < count.least || count.value > count.most {
			return command.Usagef("--%s is %d, must be %d to %d", count.flag, count.value, count.least, count.most)
		}
	}
	for _, span := range []struct {
		flag        string
		value       time.Duration
		least, most time.Duration
	}{
		{"drain", l.Drain, time.Millisecond, time.Hour},
		{"clock-skew", l.ClockSkew, 0, time.Hour},
	} {
		if span.value < span.least || span.value > span.most {
			return command.Usagef("--%s is %v, must be %v to %v", span.flag, span.value, span.least, span.most)
		}
	}
	if l.StoreLockLife < time.Second || l.StoreLockLife >= node.Window {
		return command.Usagef(
			"--store-lock-life is %v, must be at least 1s and less than the pre-read window of %v", l.StoreLockLife,
			node.Window,
		)
	}
	return nil
}

// skewLimit returns ClockSkew as node.Options takes it, where 0 selects the default and a negative
// value disables the check.
func (l *limits) skewLimit() time.Duration {
	if l.ClockSkew == 0 {
		return -1
	}
	return l.ClockSkew
}
