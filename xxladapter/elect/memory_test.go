package elect_test

import (
	"testing"

	"github.com/xxlwheel/xxlwheel/xxladapter/elect"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
)

func TestMemory(t *testing.T) {
	electtest.Run(t, func(*testing.T) electtest.Place {
		m := new(elect.Memory)
		return electtest.Place{Elector: m.Elector, Cut: func() { m.SetAway(true) }, Heal: func() { m.SetAway(false) }}
	})
}
