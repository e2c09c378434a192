package node

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAReportOverTheQueueNamesAnOperationAlone(t *testing.T) {
	require.True(t, isOperation("registryRemove"))
	for _, op := range []string{"", "v1/jobs", "..", "a?b", "a b", "注册"} {
		require.False(t, isOperation(op), op)
	}
}
