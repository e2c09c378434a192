package queue

import (
	"context"
	"fmt"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue/internal/broker"
)

// States returns the number and age of the runs in the queue, by app. Apps without a run are left
// out.
func (c *Conn) States(ctx context.Context) (map[string]xxladapter.QueueState, error) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	states, err := c.broker.States(ctx)
	if err != nil {
		return nil, fmt.Errorf("read state of queue %s: %w", c.shown, err)
	}
	return states, nil
}

// State returns the number and age of the runs in the queue of an app.
func (c *Conn) State(ctx context.Context, app string) (xxladapter.QueueState, error) {
	ctx, cancel := context.WithTimeout(ctx, broker.CallLimit)
	defer cancel()
	s, err := c.broker.State(ctx, app)
	if err != nil {
		return xxladapter.QueueState{}, fmt.Errorf("read state of queue %s: %w", c.shown, err)
	}
	return s, nil
}
