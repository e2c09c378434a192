package node

import (
	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/maintenance"
	"github.com/xxlwheel/xxlwheel/xxladapter/trigger"
)

// hintBackfills returns a listener that notifies b of the fires of backfills, which another node
// may have planned, and of ended runs. It then calls next, unless next is nil.
func hintBackfills(b *maintenance.Backfills, next func(trigger.Event)) func(trigger.Event) {
	return func(e trigger.Event) {
		switch {
		case e.Fire.Type == xxladapter.TriggerBackfill:
			b.Begun()
		case e.Kind == trigger.EventResult:
			b.RunEnded()
		}
		if next != nil {
			next(e)
		}
	}
}
