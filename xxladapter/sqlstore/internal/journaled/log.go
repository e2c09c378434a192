package journaled

import (
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/journal"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/sharedlog"
)

// A recordLog keeps records. [journal.Journal] documents the methods; a [sharedlog.Log] has them
// too.
type recordLog interface {
	Append(record []byte) journal.Position
	Last() journal.Position
	Wait(m journal.Position) error
	Failed() error
	Size() int64
	Rotate()
	Rotating() bool
	Trim(number int64) error
	Lost() string
	Close() error
}

var (
	_ recordLog = (*journal.Journal)(nil)
	_ recordLog = (*sharedlog.Log)(nil)
)
