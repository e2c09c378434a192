package electtest_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
)

func TestMemory(t *testing.T) {
	electtest.Run(t, func(*testing.T) electtest.Place {
		m := new(electtest.Memory)
		return electtest.Place{Elector: m.Elector, Cut: func() { m.SetAway(true) }, Heal: func() { m.SetAway(false) }}
	})
}
