package scheduler

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

func TestANodeTellsWhatHasChanged(t *testing.T) {
	t0 := time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)
	term := xxladapter.Term{Node: "n1", Number: 7}
	busy := func(n int) xxladapter.PoolReport { return xxladapter.PoolReport{Places: 200, InFlight: n} }
	reported := xxladapter.NodeReport{Skew: 10 * time.Millisecond, Fast: busy(3), Slow: busy(0)}
	p := reporter{term, t0, reported}
	for name, c := range map[string]struct {
		term  xxladapter.Term
		after time.Duration
		now   xxladapter.NodeReport
		want  bool
	}{
		"nothing has changed":    {term, time.Hour, reported, false},
		"a new term":             {xxladapter.Term{Node: "n1", Number: 8}, 0, reported, true},
		"a pool has":             {term, reportPace, xxladapter.NodeReport{Skew: reported.Skew, Fast: busy(4), Slow: busy(0)}, true},
		"the other pool has":     {term, reportPace, xxladapter.NodeReport{Skew: reported.Skew, Fast: busy(3), Slow: busy(1)}, true},
		"but reported just now":  {term, reportPace - 1, xxladapter.NodeReport{Skew: reported.Skew, Fast: busy(4)}, false},
		"the clock has a little": {term, time.Hour, xxladapter.NodeReport{Skew: reported.Skew - reportSkew + 1, Fast: busy(3), Slow: busy(0)}, false},
		"the clock has":          {term, time.Hour, xxladapter.NodeReport{Skew: reported.Skew - reportSkew, Fast: busy(3), Slow: busy(0)}, true},
	} {
		require.Equal(t, c.want, p.due(c.term, t0.Add(c.after), c.now), name)
	}
	require.True(t, new(reporter).due(term, t0, xxladapter.NodeReport{}), "the first time")
}
