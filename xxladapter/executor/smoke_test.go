package executor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRunIsReported(t *testing.T) {
	e := start(t, Options{}, func(e *Executor) {
		require.NoError(t, e.Handle("hello", func(_ context.Context, run *Run) error {
			run.Logger.Info("hello", "param", run.Param)
			return nil
		}))
	})
	require.Equal(t, 200, e.post("/run", beanRun(1, 101, "hello")).Code)
	eventually(t, "result", func() bool { return e.admin.result(101) != nil })
	require.EqualValues(t, 200, e.admin.result(101).HandleCode)
	e.stop()
}
