package xxladapter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestOutcomes is upstream's table of states (XxlJobLogMapper.findLogReport).
func TestOutcomes(t *testing.T) {
	for _, c := range []struct {
		trigger, handle int
		want            xxladapter.Outcome
	}{
		{0, 0, xxladapter.OutcomeRunning},
		{200, 0, xxladapter.OutcomeRunning},
		{500, 0, xxladapter.OutcomeFailed},
		{501, 0, xxladapter.OutcomeFailed},
		{0, 200, xxladapter.OutcomeSuccess},
		{200, 200, xxladapter.OutcomeSuccess},
		{500, 200, xxladapter.OutcomeSuccess},
		{200, 500, xxladapter.OutcomeFailed},
		{200, 502, xxladapter.OutcomeFailed},
		{0, 500, xxladapter.OutcomeFailed},
	} {
		require.Equal(t, c.want, xxladapter.OutcomeOf(c.trigger, c.handle), "%+v", c)
	}
}

func TestWhichTextsAreStored(t *testing.T) {
	for _, c := range []struct {
		policy          xxladapter.TextPolicy
		success, failed bool
	}{
		{"", false, true},
		{xxladapter.TextsFailures, false, true},
		{xxladapter.TextsAll, true, true},
		{xxladapter.TextsOff, false, false},
	} {
		require.Equal(t, c.success, c.policy.Wants(200), c.policy)
		require.Equal(t, c.failed, c.policy.Wants(500), c.policy)
		require.Equal(t, c.failed, c.policy.Wants(502), c.policy)
	}
}
