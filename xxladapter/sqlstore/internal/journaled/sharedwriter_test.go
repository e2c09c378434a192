package journaled

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAWriteThatFailedRunsApart(t *testing.T) {
	sound, failed := new(sharedWrite), &sharedWrite{failed: true}
	for _, c := range []struct {
		calls []*sharedWrite
		joins []bool
	}{
		{[]*sharedWrite{sound, sound, failed, sound}, []bool{true, true, false, true}},
		{[]*sharedWrite{failed, sound, failed}, []bool{true, false, false}},
	} {
		admit := admitShared()
		for i, call := range c.calls {
			require.Equal(t, c.joins[i], admit(call), "call %d", i)
		}
	}
}
