package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Complete stores the results that an executor reported. When it returns nil
// every one of them is durable, or needs no storing: a run that is unknown, or
// that has a result already, is passed over as upstream does
// (JobCompleteHelper.callback). After an error the executor has to report all
// of them again, which is harmless.
func (h *HandOver) Complete(ctx context.Context, callbacks []wire.Callback) error {
	for _, c := range callbacks {
		r := xxladapter.RunResult{LogID: int64(c.LogID), Code: int(c.HandleCode), Msg: c.HandleMsg}
		if r.Code <= 0 {
			// Stored as it is, 0 would leave the run open for ever.
			r.Code = xxladapter.ResultFail
			if r.Msg == "" {
				r.Msg = "job handle result lost."
			}
		}
		applied, err := h.store.FinishRun(ctx, r)
		if errors.Is(err, xxladapter.ErrNotFound) {
			h.logger.Warn("result of an unknown run", "log", r.LogID, "code", r.Code)
			continue
		}
		if err != nil {
			return fmt.Errorf("store result of log %d: %w", r.LogID, err)
		}
		if applied {
			h.onEvent(Event{Kind: EventResult, LogID: r.LogID, At: time.Now(), Code: r.Code, Msg: r.Msg})
		}
	}
	return nil
}
