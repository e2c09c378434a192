package xxladapter_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestTheStatusOfALogRow checks upstream's table of states (XxlJobLogMapper.findLogReport).
func TestTheStatusOfALogRow(t *testing.T) {
	for _, c := range []struct {
		trigger, handle int
		want            xxladapter.LogStatus
	}{
		{0, 0, xxladapter.LogRunning},
		{200, 0, xxladapter.LogRunning},
		{500, 0, xxladapter.LogFail},
		{501, 0, xxladapter.LogFail},
		{0, 200, xxladapter.LogSuccess},
		{200, 200, xxladapter.LogSuccess},
		{500, 200, xxladapter.LogSuccess},
		{200, 500, xxladapter.LogFail},
		{200, 502, xxladapter.LogFail},
		{0, 500, xxladapter.LogFail},
	} {
		require.Equal(t, c.want, xxladapter.StatusOf(c.trigger, c.handle), "%+v", c)
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
