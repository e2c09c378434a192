package executor

import (
	"encoding/json"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// runs accepts or refuses the runs of a batch in their order. Refusing one does not affect the
// others. The accepted ones share a sync of the journal. A batch that cannot be read is refused as
// a whole.
func (e *Executor) runs(l *live, body []byte) any {
	var list []*wire.RunRequest
	if err := wire.Decode(body, &list); err != nil {
		return refuseBatch(err)
	}
	if len(list) > wire.MaxBatch {
		return refuseBatch(fmt.Errorf("batch has %d runs, must have at most %d", len(list), wire.MaxBatch))
	}
	for i, req := range list {
		if req == nil {
			return refuseBatch(fmt.Errorf("run %d is null, must be an object", i))
		}
	}
	replies := make([]func() wire.Reply, len(list))
	for i, req := range list {
		replies[i] = e.accept(l, req, func() []byte {
			data, _ := json.Marshal(req) // it was decoded from JSON
			return data
		})
	}
	all := wire.RunReplies{Code: wire.CodeOK, Msg: wire.OK().Msg, Runs: make([]wire.RunReply, len(list))}
	for i, req := range list {
		r := replies[i]()
		all.Runs[i] = wire.RunReply{LogID: req.LogID, Code: r.Code, Msg: r.Msg}
	}
	return all
}

func refuseBatch(err error) wire.RunReplies {
	r := requestError(err)
	return wire.RunReplies{Code: r.Code, Msg: r.Msg}
}
