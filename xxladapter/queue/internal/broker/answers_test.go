package broker

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestAnswersAfterTheEndAreDropped has a subscription call Go when Wait has returned: the call must
// neither run nor block.
func TestAnswersAfterTheEndAreDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		answers, ran := NewAnswers(), atomic.Int64{}
		for range AnswersAtOnce {
			answers.Go(func() {
				time.Sleep(time.Second)
				ran.Add(1)
			})
		}
		began := time.Now()
		answers.Wait()
		require.Equal(t, time.Second, time.Since(began))
		require.EqualValues(t, AnswersAtOnce, ran.Load())

		answers.Go(func() { ran.Add(1) })
		synctest.Wait()
		require.EqualValues(t, AnswersAtOnce, ran.Load())
	})
}
