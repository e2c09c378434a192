package executor

import "github.com/xxlwheel/xxlwheel/xxladapter/wire"

// taken answers a scheduler whose store may have lost which executor has taken a run from a queue.
func (e *Executor) taken(l *live, body []byte) wire.Reply {
	var asked []wire.RunID
	if err := wire.Decode(body, &asked); err != nil {
		return requestError(err)
	}
	return wire.OK().WithPayload(l.journal.knows(asked))
}

// knows reports for each of the runs whether it was accepted.
func (j *journal) knows(asked []wire.RunID) []bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	known := make([]bool, len(asked))
	for i, id := range asked {
		known[i] = j.state.seen.has(int64(id.LogID), int64(id.LogTime))
	}
	return known
}
