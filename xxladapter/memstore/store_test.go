package memstore_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/memstore"
	"github.com/xxlwheel/xxlwheel/xxladapter/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	storetest.Run(t, func(_ *testing.T, clock func() time.Time) xxladapter.Store { return memstore.New(clock) })
}
